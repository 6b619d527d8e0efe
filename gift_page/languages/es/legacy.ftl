## The legacy and its state

legacy = Un legado
legacy-opens-on = Se puede reclamar a partir del { $moment }.
legacy-moves = Cada señal de vida de la persona propietaria aleja este día.
legacy-open-since = Se puede reclamar desde el { $moment }.
legacy-closes-again = Mientras nadie haya reclamado, una señal de vida de la persona propietaria lo vuelve a cerrar.
legacy-claimed-on = Se reclamó el { $moment }.
legacy-rest = Todas las personas nombradas en él todavía pueden reclamar lo que queda para ellas.
legacy-handed-over = Desde entonces, la cartera compartida tiene nuevos firmantes.
legacy-ended = La persona propietaria terminó este legado: no hay nada que reclamar ni nada que hacer.
legacy-no-day = No indica ningún día que esta página pueda mostrar.
legacy-second-line = La persona en segundo lugar puede reclamar a partir del
legacy-third-line = La persona en tercer lugar puede reclamar a partir del
legacy-details = Sobre este legado
legacy-purpose = Un legado es un plan para las personas que alguien quiere. Si la persona propietaria no da señales de vida durante mucho tiempo, las personas nombradas en el plan pueden reclamar lo que se les dejó.
legacy-purpose-safe = Un legado es un plan para las personas que alguien quiere. Este es de una cartera compartida, un Safe. Si la cartera no se usa durante mucho tiempo, las personas nombradas en el plan pueden hacerse cargo de ella.
legacy-contract = Contrato
legacy-router = Creado por
legacy-public = Esta página muestra lo que todo el mundo puede leer en la red. No nombra a nadie.

## No legacy is shown

no-legacy = Aquí no hay ningún legado
no-legacy-1 = Compruebe el enlace, por favor.
no-legacy-2 = Un legado creado en este minuto puede necesitar un momento.
legacy-not-now = Este legado no se puede mostrar ahora mismo
legacy-not-now-1 = No se ha perdido nada: está a salvo donde está. Vuelva a intentarlo pronto, por favor.
legacy-too-many = Espere un momento, por favor
legacy-too-many-1 = En este minuto, muchísimas personas han preguntado desde su red.
legacy-too-many-2 = No se ha perdido nada: vuelva a cargar esta página dentro de un minuto, por favor.
legacy-several = Varios legados tienen este número
legacy-several-1 = ¿Cuál busca? La dirección de su contrato está en los correos que recibió sobre él.

## Connecting a wallet

legacy-connect = ¿Es suyo, o se le nombra en él?
legacy-connect-words = Conecte su cartera y esta página lo mirará en la red. Con eso no se firma nada ni se paga nada.
legacy-connect-wallet = Conectar { $wallet }
# The account follows in { $account }.
legacy-connected = Conectada: { $account }
legacy-other-wallet = Usar otra cartera
legacy-not-this-wallet = Esta no es la cartera correcta
legacy-not-named = Esta cartera no está nombrada en este legado.
# { $ending } is the end of an address, as "…1a2b".
legacy-wallet-ends = Esta cartera no está nombrada en este legado. Según su correo, la correcta termina en { $ending }.
legacy-find-wallet = Elija otra cuenta en su cartera, o use otra cartera. Nunca escriba una frase de recuperación en un sitio web, tampoco en este.

## The owner

legacy-yours = Este legado es suyo
legacy-yours-claimed = Ya se reclamó. Una señal de vida ya no cambia eso.
legacy-well-words = ¿Está bien? Dígalo, y solo se podrá reclamar a partir del { $moment }.
legacy-well-no-day = ¿Está bien? Dígalo. Esta página no puede indicar ningún día para este legado.
legacy-well = Estoy bien
legacy-well-own = Estoy bien, y pago la comisión de la red
legacy-well-free = No le cuesta nada: usted firma, y la comisión de la red se paga por usted.
legacy-wallet-names = Al firmar, su cartera mostrará el contrato «{ $contract }» y no le pedirá ningún pago.
legacy-well-safe = Esta es una cartera compartida: cada transacción suya es una señal de vida. Esta no envía nada, a la propia cartera.
legacy-needs-premium = Quienes tienen Premium no pagan la comisión de la red de una señal de vida.
legacy-fee-is-yours = Puede hacerlo con una transacción propia, por la comisión de la red.
# The day while it is not final.
legacy-new-day = El nuevo día: { $moment }. Falta la confirmación definitiva.
legacy-moving-to = Se puede reclamar a partir del { $moment }. Falta la confirmación definitiva.
legacy-well-under-way = Su señal de vida está en camino
legacy-well-done = Su señal de vida ha llegado
legacy-day-final = El nuevo día es: { $moment }. Es definitivo.
legacy-well-final = Su señal de vida es definitiva.
legacy-papers = Para sus papeles
legacy-papers-words = Una tarjeta para las personas que usted nombró y una portada para el expediente de un abogado. Dicen dónde está este legado y cómo se reclama. Ninguna de las dos le nombra a usted ni a nadie más.
legacy-papers-show = Mostrar las dos páginas
legacy-papers-way-out = También puede hacer una captura de pantalla.

## A person who is named

legacy-named = Se le nombra en este legado
legacy-named-from = Puede reclamar con esta cartera a partir del { $moment }.
legacy-day-moves = Cada señal de vida de la persona propietaria mueve este día. Hasta entonces no hay nada que hacer.
legacy-calendar-title = Ya se puede reclamar un legado
legacy-what-words = Ya puede reclamar. Mire primero qué recibiría: con eso no se firma nada.
legacy-day-unknown = Esta página no conoce ningún día a partir del cual usted pueda reclamar. Puede intentarlo ahora.
legacy-what = ¿Qué recibiría?
legacy-looking = Un momento: se prueba la reclamación, sin hacerla…
legacy-would-get = Recibiría
legacy-after-fees = Esto llegaría a su cartera, después de todas las comisiones, tal como están las cosas ahora.
legacy-has-more = En este legado hay más que no se puede reclamar ahora, o no junto con esto.
legacy-nothing = Reclamar no le traería nada en este momento.
legacy-claim-free-words = Reclamar no le cuesta nada: usted firma, y la comisión de la red se paga por usted. Nunca pague a nadie para poder reclamar.
legacy-claim-free = Reclamar gratis
legacy-claim-own = Reclamar y pagar yo la comisión de la red
legacy-no-free-claims = En este legado, la comisión de la red no se paga por usted.
legacy-take-over-words = Ya puede hacerse cargo de la cartera compartida, junto con las demás personas nombradas. Para eso necesita una transacción propia, por la comisión de la red.
legacy-take-over = Hacerme cargo de la cartera compartida
legacy-claim-under-way = Su reclamación está en camino
legacy-step-final = Definitivo
legacy-takeover-done = La cartera compartida tiene nuevos firmantes
legacy-taken-over = Usted y las demás personas nombradas ya pueden firmar por ella.
legacy-you-claimed = Usted ha reclamado.
legacy-choose-again = No esperar y elegir de nuevo

## A signer of a Safe

legacy-safe = Usted es firmante de un Safe
# The account follows in { $account }.
legacy-safe-signer = Usted firma por la cartera compartida { $account }, de la que trata este legado.
legacy-safe-well = Cada transacción de este Safe es una señal de vida. Esta basta, y no mueve nada:
legacy-safe-check-in = Este legado es de este Safe. Su señal de vida es esta transacción, que no mueve nada:
legacy-safe-claim = Este Safe está nombrado en el legado. Puede reclamar con esta transacción:
legacy-safe-from = Este Safe está nombrado en el legado. Puede reclamar a partir del { $moment }.
legacy-safe-how = En Safe, elija «New transaction», después «Transaction Builder», active «Custom data» y rellene estas tres líneas. Los demás firmantes dan allí también su acuerdo.
legacy-safe-to = To address
legacy-safe-value = ETH value
legacy-safe-data = Data (hex)
legacy-safe-copy = Copiar las tres líneas
legacy-safe-copied = Las tres líneas están copiadas.
legacy-safe-not-copied = Su navegador no lo permitió. Copie las líneas de aquí.

## Why something did not work

legacy-not-known = Este legado ya no se encuentra. Vuelva a cargar la página, por favor.
legacy-over = Este legado se reclamó o se terminó entretanto. Vuelva a cargar la página, por favor.
legacy-not-open = Todavía no está abierto: la persona propietaria sigue activa. Vuelva a cargar la página para ver el día, por favor.
legacy-not-claimable = Ahora no se puede reclamar. Vuelva a cargar la página para ver por qué, por favor.

## Said otherwise than of a gift

wallet-unknown-network = { $wallet } todavía no conoce la red de este legado. Añádala en los ajustes de { $wallet }, en las redes: { $network }, identificador de cadena { $number }, moneda ETH. Después vuelva a intentarlo.
wallet-other-network = Este legado está en una red distinta de la de su cartera. Elija la red { $network } en { $wallet } y vuelva a intentarlo.
wallet-no-ether = No hay suficiente ETH en su cartera para pagar la comisión de la red.
now-predecessor = Primero va otra petición suya. Esta sigue por sí sola…
now-mined = La red lo ha aceptado. Se está haciendo definitivo, lo que tarda un cuarto de hora más o menos…
why-fees = La red está muy ocupada y sus comisiones están altas ahora mismo. Lo suyo sigue en cuanto bajen.
why-balance = Primero hay que llenar la cartera del servicio, la que paga la comisión de la red. Después lo suyo sigue por sí solo.
why-daily-cap = El presupuesto de hoy para comisiones de la red está ocupado ahora mismo. Lo suyo sigue por sí solo cuando haya sitio.
why-chain = La red no responde ahora mismo. Lo suyo sigue por sí solo cuando responda.
why-paused = El pago de las comisiones de la red está en pausa en este momento. Después lo suyo sigue por sí solo.
meanwhile = Puede dejar esta página abierta o volver más tarde.
trouble-reverted = La red rechazó la transacción. No se movió nada.
trouble-refused = La red rechazó la transacción. No se movió nada.
trouble-expired = No se pudo enviar a tiempo, así que no ha pasado nada. Vuelva a intentarlo, por favor.
trouble-superseded = Antes se envió otra cosa para esta cartera. Vuelva a mirar, por favor.
trouble-cancelled = Lo canceló la cartera a la que va destinado. No se movió nada.
trouble-unknown = Este intento terminó y no se movió nada. Vuelva a mirar, por favor.
no-fee-spent = El presupuesto de hoy para pagar comisiones de la red se ha agotado. Habrá otro a partir de esta hora: { $time }.
no-fee-reserved = El presupuesto de hoy para pagar comisiones de la red está reservado para lo que va en camino. Vuelva a intentarlo dentro de veinte minutos, por favor.
no-fee-here = Aquí no se pagan las comisiones de la red por usted.
no-fee-paused = El pago de las comisiones de la red está en pausa en este momento.
no-fee-unknown = En este momento no se puede saber si la comisión de la red se puede pagar por usted.
signer-paused = Hoy falló en la red una transacción de esta cartera: no se pagan más comisiones por ella hasta mañana. Puede hacerlo con una transacción propia.
nonce-mismatch = Otra petición de esta cartera está en camino, o esta ya lo está. Espere un minuto, por favor, y vuelva a intentarlo.
already-used = Esto ya se envió antes. Vuelva a cargar la página, por favor.
signer-mismatch = Esta firma no es de la cartera correcta. No ha pasado nada. Puede hacerlo con una transacción propia.
would-fail = La red lo rechazaría ahora mismo, o necesita más de lo que aquí se paga, así que no se envió. Vuelva a intentarlo más tarde, por favor, o con una transacción propia.
went-wrong = Algo falló en esta página. Al legado no le ha pasado nada: vuelva a cargar la página e inténtelo otra vez, por favor.
