## Greetings, by occasion

greeting-gift = Un regalo para ti
greeting-birthday = Feliz cumpleaños
greeting-wedding = Felicidades por la boda
greeting-anniversary = Feliz aniversario
greeting-new-baby = Te damos la bienvenida
greeting-graduation = Felicidades por la graduación
greeting-bar-bat-mitzvah = Mazal tov
greeting-thank-you = Gracias
greeting-new-home = Feliz nuevo hogar
greeting-someday = Para ti, algún día
greeting-valentine = Con todo mi amor
greeting-new-year = Feliz Año Nuevo
greeting-christmas = Feliz Navidad
greeting-hanukkah = Feliz Janucá
greeting-eid = Eid Mubarak
greeting-diwali = Feliz Diwali
greeting-easter = Feliz Pascua
greeting-lunar-new-year = Feliz Año Nuevo Lunar
greeting-to = { $greeting }, { $name }
card-subline = Aquí espera un regalo sellado
card-opened = Este regalo ya se ha abierto

## The gift and its state

when-open = Este regalo ya se puede abrir.
when-claimed = Este regalo ya se abrió: lo recibió la persona a quien estaba destinado.
opened-on = Este regalo se abrió el { $moment }.
sealed-until = Este regalo está sellado hasta el { $moment }.
inside = Contenido
digital-money = Es dinero digital.
asset-paid-out = { $amount } (pagado en ETH)
asset-without-name = tokens
asset-base-units = { $units } unidades base de { $symbol }
the-gift = El regalo
advice-link = Quien tenga este enlace puede ver el regalo. Solo la cartera para la que se selló puede abrirlo.
advice-paper = Quien tenga la hoja impresa puede abrirlo. Guárdela como dinero en efectivo: sin ella, el regalo se pierde. No le diga la clave a nadie: quien le ayude no necesita saberla.
advice-email = Se selló para su dirección de correo: quien lea sus correos puede abrirlo, y nadie más. Para abrirlo recibirá allí un código; no se lo diga a nadie.
check-wallet = Compruebe ya ahora que todavía tiene esta cartera: nadie puede reponerla, y nosotros tampoco.
check-paper = Compruebe ya ahora que todavía tiene la hoja: nadie puede reponerla, y nosotros tampoco.
check-email = Compruebe ya ahora que todavía puede abrir este buzón: nadie puede reponerlo, y nosotros tampoco.
advice-email-moving = Lo que contiene llegará a una cartera de su dirección de correo, que el servicio de acceso Turnkey guarda para usted. De allí solo se puede pasar a otro lugar en una aplicación de quienes gestionan { $site }; ninguna otra aplicación de cartera abre esa cartera. Pregúnteles dónde antes de abrir el regalo.
ask-us = Pregúntenos: al pie de esta página se indica cómo contactar con nosotros.
claimed-paper = Lo que contenía está en la cartera a la que pertenece la clave de su hoja: guarde la hoja hasta que lo haya pasado a una cartera propia.
claimed-email = Lo que contenía está en la cartera de su dirección de correo, que el servicio de acceso Turnkey guarda para usted. Solo quien lee sus correos puede usar esa cartera, así que proteja bien su buzón. Esta página solo abre regalos. Para pasarlo a otro lugar, con una comisión de la red en ETH, se entra en esa cartera en una aplicación de quienes gestionan { $site }; ninguna otra aplicación de cartera la abre. Pregúnteles dónde y no le diga a ninguna persona un código de sus correos.
claimed-paper-or-named = Si usted indicó una cartera al abrir el regalo, lo que contenía llegó a ella. Si no indicó ninguna, está en la cartera a la que pertenece la clave de su hoja: guarde la hoja hasta que lo haya pasado a una cartera propia.
claimed-email-or-named = Si usted indicó una cartera al abrir el regalo, lo que contenía llegó a ella. Si no indicó ninguna, está en la cartera de su dirección de correo, que el servicio de acceso Turnkey guarda para usted. Solo quien lee sus correos puede usar esa cartera, así que proteja bien su buzón. Esta página solo abre regalos. Para pasarlo a otro lugar, con una comisión de la red en ETH, se entra en esa cartera en una aplicación de quienes gestionan { $site }; ninguna otra aplicación de cartera la abre. Pregúnteles dónde y no le diga a ninguna persona un código de sus correos.
seal-forward = Sellar uno para alguien
about-gift = Sobre este regalo
fact-sealed = Sellado
fact-opens = Se abre
fact-opened = Abierto
fact-sealed-for = Sellado para
fact-network = Red
fact-gift = Regalo
gift-number = número { $number } del contrato
letter-stays = El mensaje personal, si lo hay, está en la parte de este enlace que sigue al signo #: se queda en su navegador y nunca se nos envía.

## No gift is shown

no-gift = Aquí no hay ningún regalo
no-gift-1 = Compruebe el enlace, por favor.
no-gift-2 = Un regalo recién sellado puede tardar un momento en aparecer.
cut-off = Este enlace no está entero
cut-off-1 = Se perdió una parte, quizá al copiarlo. Nada más se ha perdido: el regalo está a salvo donde está.
cut-off-2 = Abra el enlace entero, tal como se lo dieron, por favor.
not-served = Este regalo está en otra red
not-served-1 = El enlace nombra una red que esta página no conoce. No se ha perdido nada: el regalo está a salvo donde está.
not-served-2 = Compruebe el enlace, por favor, o pregunte a quien se lo dio dónde se abre.
not-shown = Este regalo no se puede mostrar aquí
not-shown-1 = Contiene algo que esta página no conoce, o que ya no conoce. No se ha perdido nada: el regalo está a salvo donde está.
not-shown-2 = Pregunte a quien se lo regaló cómo abrirlo, por favor.
not-now = El regalo no se puede mostrar ahora mismo
not-now-1 = No se ha perdido nada: está a salvo donde está. Vuelva a intentarlo pronto, por favor.
too-many = Espere un momento, por favor
too-many-1 = En este minuto, muchísimas personas han pedido ver regalos desde su red.
too-many-2 = No se ha perdido nada: vuelva a cargar esta página dentro de un minuto, por favor.
none-for = No se encontró ningún regalo para esta hoja
none-for-1 = Si escribió el enlace a mano, compárelo con su hoja, por favor: puede que alguna letra o algún número no coincida.
none-for-2 = Un regalo recién sellado puede tardar un momento en aparecer: vuelva a intentarlo enseguida, por favor.
not-shown-for = No se encontró ningún regalo que se pueda mostrar aquí
not-shown-for-1 = Para esta hoja hay sellado algo que esta página no conoce, o que ya no conoce. No se ha perdido nada: está a salvo donde está.
not-shown-for-2 = Si todavía no ha abierto su regalo, pregunte a quien le dio la hoja cómo abrirlo, por favor.
not-shown-for-3 = Si ya lo abrió, este es otro, quizá de alguien desconocido. Si entonces no indicó otra cartera, lo que contenía el suyo está en la cartera a la que pertenece la clave de su hoja: guarde la hoja hasta que lo haya pasado a una cartera propia.
mistyped = Este enlace tiene un error
mistyped-1 = Una letra o un número de su dirección no coincide con lo impreso, o falta. No se ha perdido nada.
mistyped-2 = Compárelo con su hoja, a partir del 0x, o escanee el código de la portada de la hoja, por favor.
rewritten = Este enlace cambió por el camino
rewritten-1 = Un programa de correo o un filtro cambió los signos que contiene. No se ha perdido nada: el regalo está a salvo donde está.
rewritten-2 = En la barra de direcciones, cambie %23 otra vez por # y %3F por ?. O abra el enlace tal como se lo dieron, en otro programa de correo o navegador.

## The letter, the calendar and sharing

letter-label = Mensaje personal
letter-from = De { $name }
letter-unchecked = Los nombres y el mensaje son de quien creó este enlace. Nadie los ha comprobado.
letter-ask = ¿Conoce a { $name }? Llame por teléfono, a un número que ya tenga, y pregunte si de verdad le envía este regalo.
letter-damaged = El mensaje no llegó entero
letter-damaged-1 = Parte del enlace se perdió por el camino, así que el mensaje personal no se puede leer. El regalo está a salvo y se puede abrir igualmente. Pida a quien se lo envió que le mande otra vez el enlace entero.
calendar-add = Añadir el día a su calendario
calendar-title = Se abre un regalo para usted
out-cannot-print = Este navegador no puede imprimir: no se abrió ninguna ventana de impresión. Los navegadores de las aplicaciones de cartera casi nunca pueden.
out-saved = El archivo debería estar ahora entre sus descargas. ¿No está? Entonces este navegador no puede guardar archivos. Los navegadores de las aplicaciones de cartera casi nunca pueden.
out-share = Compartir
out-not-shared = No se compartió.
out-elsewhere = Abra esta página en otro navegador, como Safari o Chrome. La dirección de esta página:
out-copy = Copiar la dirección
out-copied = La dirección está copiada.
out-not-copied = Su navegador no lo permitió. Copie la dirección desde aquí.
calendar-way-out = También puede anotar el día: está escrito en esta página.
opens-in = Se abre en { $days }, { $hours } y { $minutes }.
day-has-come = Ha llegado el día. Un momento…
share = Compartir u ocultar el mensaje
share-words = Quien tenga el enlace puede ver este regalo; el enlace por sí solo no lo abre. El mensaje personal forma parte del enlace de la barra de direcciones. Quítelo de ahí antes de compartir esta página o de enseñarla a otras personas. Al volver a cargar la página, el mensaje ya no estará: guarde antes el enlace entero para usted.
share-copy-whole = Copiar el enlace entero
share-copied-whole = El enlace entero está copiado.
share-copy-bare = Copiar el enlace sin el mensaje
share-copied-bare = El enlace sin el mensaje está copiado.
share-take-out = Quitar el mensaje
share-taken-out = El mensaje ya no está en la barra de direcciones. El enlace que hay ahora se puede compartir sin él.
share-not-allowed = Su navegador no lo permitió. Copie el enlace de la barra de direcciones.

## The ways to open it

try-again = Intentar de nuevo
one-moment = Un momento…
looking-for-way = Buscando una forma de abrirlo…
open-your-gift = Abra su regalo
costs-nothing = No le cuesta nada: no tiene que pagar la comisión de la red.
way-paper = Con la clave de mi hoja impresa
way-email = Con un código enviado a mi correo
way-wallet = Con mi propia cartera
no-codes = En este momento no se pueden enviar códigos. Vuelva a intentarlo más tarde, por favor.
stays-where = No se ha perdido nada: su regalo sigue donde está.
stays-self-paid = No se ha perdido nada: su regalo sigue donde está. Hasta entonces solo puede abrirlo una cartera que pague ella misma la comisión.
look-again = Mirar otra vez
wallet-signs = Su cartera está firmando…
open-my-gift = Abrir mi regalo

## With the printed key

paper-words = Despliegue su hoja: la clave está en el panel blanco. Se queda en este dispositivo y nunca se envía a nadie; firma aquí y se olvida al instante.
paper-legend = La clave, tal como está impresa: 16 grupos de 4
paper-group = Grupo { $number } de { $groups }
paper-typed-wrong = Esta no es la clave de este regalo. Compare cada grupo con su hoja, por favor: hay una letra o un número que no coincide.
paper-scanned-wrong = Esta no es la clave de este regalo. ¿Es la hoja de otro regalo?
paper-no-key = Ese código no es la clave. Escanee el del panel blanco, que está dentro de la hoja doblada.
paper-bad-letter = El grupo { $number } tiene una letra que ninguna clave tiene: solo valen del 0 al 9 y de la a a la f.
paper-too-short = El grupo { $number } necesita 4 caracteres.
camera-scan-key = Escanearla con la cámara
camera-picture = Imagen de la cámara
camera-hold = Ponga ante la cámara el código cuadrado del panel blanco.
camera-stop = Apagar la cámara
camera-unusable-key = Aquí no se puede usar la cámara. Escriba la clave, por favor.
camera-or-type = o escríbala

## With the email address

email-words = Este regalo se selló para una dirección de correo. Escríbala y el servicio de acceso enviará allí un código: ni la dirección ni el código nos llegan a nosotros.
email-label = Su dirección de correo
email-send-code = Enviarme un código
email-none = Esto no es una dirección de correo. Compruébela, por favor.
code-words = Un código va en camino a { $email }. Escríbalo aquí y no se lo diga a nadie.
code-words-reloaded = Un código va en camino a su dirección. Escríbalo aquí y no se lo diga a nadie.
code-label = El código del correo
code-none = Escriba el código del correo, por favor.
code-another = Enviar otro código
code-another-reloaded = Pedir otro código
email-another = Usar otra dirección
code-wrong = Ese código no es correcto o ya no es válido. Use el del correo más reciente o pida otro código.
email-wrong = Esta dirección no abre este regalo. Quizá se selló para otra dirección suya.
code-too-many = Se ha intentado demasiadas veces. Espere unos minutos, por favor, y pida otro código.
provider-away = El servicio de acceso no responde ahora mismo. No se ha perdido nada: vuelva a intentarlo pronto, por favor.

## With a wallet

wallet-sealed-for = Este regalo se selló para la cuenta { $account }. Su cartera le pide que acepte; nunca se le pide una clave.
wallet-self-paid-works = Pagar usted la comisión siempre funciona.
wallet-none = No se encontró ninguna cartera en este navegador. En un teléfono, abra este enlace en el navegador de su aplicación de cartera; en un ordenador o computadora, use el navegador que tiene su cartera.
wallet-lost = Una cartera nueva no sirve: solo { $account } lo abre. Si la perdió, busque su frase de recuperación y no se la diga a nadie. Si no conoce esta cartera, pregunte a quien le hizo el regalo.
wallet-apps = ¿Tiene una aplicación de cartera en este teléfono? Abra esta página en ella:
wallet-apps-letter = El mensaje personal se queda aquí y no se envía, porque los fabricantes de estas aplicaciones podrían leerlo. Para verlo también allí, copie el enlace completo más abajo y péguelo en el navegador de la aplicación.
wallet-keep-weth = Recibir ether envuelto (WETH) en lugar de ETH
wallet-keep-token = Recibir { $symbol } en lugar de ETH
wallet-keep-tokens = Recibir los propios tokens en lugar de ETH
wallet-busy = Una cartera aún espera su respuesta. Responda allí, o vuelva a cargar esta página para elegir otra.
wallet-asks = { $wallet } le pregunta ahora. Si no ve su ventana, ábrala usted.
wallet-pay-fee = Pagar yo la comisión
wallet-pay-fee-with = Pagar yo la comisión con { $wallet }
wallet-open-free = Abrir gratis con { $wallet }
wallet-of-browser = La cartera de este navegador
wallet-no-account = { $wallet } no usa ninguna cuenta, pero este regalo se selló para { $recipient }. Elija esa cuenta en su cartera y vuelva a intentarlo.
wallet-other-account = { $wallet } usa la cuenta { $account }, pero este regalo se selló para { $recipient }. Elija esa cuenta en su cartera y vuelva a intentarlo.
wallet-names-none = { $wallet } no indica ninguna cuenta. Escriba la dirección, por favor.
wallet-choose-network = Elija la red { $network } en { $wallet } y vuelva a intentarlo.
wallet-unknown-network = { $wallet } todavía no conoce la red de este regalo. Añádala en los ajustes de { $wallet }, en las redes: { $network }, identificador de cadena { $number }, moneda ETH. Después vuelva a intentarlo.
wallet-other-network = Este regalo está en una red distinta de la de su cartera. Elija la red { $network } en { $wallet } y vuelva a intentarlo.
wallet-wrong-recipient = Este regalo se selló para otra cuenta. Elija esa cuenta en su cartera y vuelva a intentarlo.
wallet-empty-gift = Ya no queda nada en este regalo.
wallet-declined = Usted lo rechazó en { $wallet }. No ha pasado nada.
wallet-pending = { $wallet } ya le está preguntando algo. Responda allí primero.
wallet-no-ether = No hay suficiente ETH en su cartera para pagar la comisión de la red. La forma sin comisión funciona, donde se ofrece.
wallet-failed = { $wallet } no pudo hacerlo. No ha pasado nada: vuelva a intentarlo, por favor.
wallet-look = Mire en su cartera, por favor
wallet-silent = Está en camino, pero ahora mismo nadie responde. Se vuelve a preguntar…
wallet-still = Está en camino, hasta donde sabe esta página. Si lo detuvo en su cartera, puede empezar de nuevo; nada se puede abrir dos veces.
wallet-was-asked = Se preguntó a su cartera antes de que esta página se volviera a cargar. Si aceptó allí, su regalo está en camino; si no, empiece de nuevo. Nada se puede abrir dos veces.
start-again = Empezar de nuevo

## Where it lands

destination = ¿Adónde debe llegar?
destination-own = A una cartera propia
destination-own-words = Llega allí enseguida y usted no paga comisión.
destination-none = ¿No tiene cartera? Elija abajo «{ $keep }».
destination-label = La dirección de su cartera
destination-look = Comprobar la dirección
destination-scan = Escanear su código con la cámara
destination-no-camera = Aquí no se puede usar la cámara. Escriba la dirección, por favor.
destination-use-wallet = Usar { $wallet }
destination-gift-wallet = A la cartera del regalo
destination-kept-paper = Se queda con la clave de su hoja. Para pasarlo más tarde, por una comisión de la red, pida ayuda a alguien de toda confianza: la clave va entonces una sola vez a su propia aplicación de cartera, y a ningún otro sitio.
destination-kept-email = Se queda en la cartera de su dirección de correo. Para pasarlo más tarde, se entra en ella en una aplicación de quienes gestionan { $site } y se paga una comisión de la red; ninguna otra aplicación de cartera la abre.
destination-keep = Dejarlo en la cartera del regalo
destination-confirm = ¿Es esta su cartera?
destination-compare = Compare cada letra con la dirección que muestra su aplicación de cartera. Algunos programas cambian una dirección mientras se copia.
destination-unchecked = Esta dirección no tiene letras de control: un error en ella no se notaría.
destination-final = Lo que llega a una cartera equivocada no se puede recuperar.
destination-yes = Sí, enviarlo ahí
destination-another = Usar otra
destination-no-address = Esta no es la dirección de una cartera. Empieza por 0x y le siguen 40 letras y cifras.
destination-other-network = Este código es para otra red. Use una dirección de la red de este regalo, por favor.
destination-mistake = Una letra o una cifra de esta dirección está mal. Cópiela otra vez, por favor.
destination-nobody = Nadie tiene la clave de esta dirección: lo que se envía ahí se pierde.
destination-contract = Esta es la dirección de un contrato, no de una cartera: lo que se envía ahí se pierde.
destination-bare-contract = En esta dirección hay un programa que no dice ser una cartera. Si nadie puede usarlo como tal, lo que se envía ahí se pierde para siempre.
destination-same = Esta es la propia cartera del regalo. Para dejar el regalo en ella, elíjalo más abajo.

## On its way

on-its-way = Su regalo está en camino
step-signed = Firmado en este dispositivo
step-handed = Entregado a la red
step-confirmed = Confirmado por la red
sending-signature = Se está enviando su firma…
looking-where = Mirando dónde está su regalo…
service-silent = El servicio no responde ahora mismo; se vuelve a preguntar…
now-arrived = Su firma ha llegado. Se está enviando a la red…
now-predecessor = Primero va otro regalo suyo. Este sigue por sí solo…
now-sending = Se está enviando a la red…
now-broadcast = Está en camino. La red suele tardar menos de un minuto…
now-mined = ¡Su regalo ha llegado! La red lo está haciendo definitivo…
now-failed = La red rechazó la transacción. Esto tarda alrededor de un cuarto de hora en ser definitivo. Después podrá volver a intentarlo.
why-fees = La red está muy ocupada y sus comisiones están altas ahora mismo. Su regalo sigue en cuanto bajen.
why-balance = Primero hay que llenar la cartera del servicio, la que paga la comisión de la red. Después su regalo sigue por sí solo.
why-daily-cap = El presupuesto de hoy para comisiones de la red está ocupado ahora mismo. Su regalo sigue por sí solo cuando haya sitio.
why-chain = La red no responde ahora mismo. Su regalo sigue por sí solo cuando responda.
why-earlier = Otros regalos se envían a la red antes que el suyo. Después sigue por sí solo.
why-paused = El pago de las comisiones de la red está en pausa en este momento. Después su regalo sigue por sí solo.
why-would-fail = La red lo rechazaría ahora mismo. Se vuelve a intentar por sí solo.
meanwhile = Puede dejar esta página abierta o volver más tarde. Pasada una hora se le pedirá que lo abra una vez más.
choose-another-way = Elegir otra forma
see-transaction = Ver la transacción { $hash }
transaction = transacción { $hash }
not-yet = Todavía no ha funcionado
see-what-works = Ver qué funciona ahora
nothing-sent = No se envió nada: el regalo sigue ahí.
trouble-reverted = La red rechazó la transacción. No se movió nada: el regalo sigue ahí.
trouble-refused = La red rechazó la transacción. El regalo sigue ahí.
trouble-expired = No se pudo enviar a tiempo, así que no se movió nada. El regalo sigue ahí: vuelva a intentarlo, por favor.
trouble-superseded = Antes se envió otra cosa para esta cartera. Puede que el regalo siga ahí: vuelva a mirar, por favor.
trouble-cancelled = Lo canceló la cartera a la que va destinado. El regalo sigue ahí.
trouble-unknown = Terminó sin su regalo: vuelva a mirar, por favor.

## Received

you-opened = Ha abierto este regalo.
it-is-yours = Ya es suyo
arrived-at = Ha llegado a { $account }: { $gift }.
was-paid-out = Se ha pagado: { $gift }.
received-paper = Ahora está en la cartera a la que pertenece la clave de su hoja: guarde bien la hoja. Para pasar el regalo a otro lugar, pida ayuda a alguien de toda confianza: la clave va entonces una sola vez a su propia aplicación de cartera, y a ningún otro sitio.
received-email = Ahora está en la cartera de su dirección de correo, que el servicio de acceso Turnkey guarda para usted. Cualquiera que pueda leer sus correos puede usar esa cartera, así que proteja bien su buzón. Esta página solo abre regalos. Para pasarlo a otro lugar, se entra en esa cartera en una aplicación de quienes gestionan { $site }; ninguna otra aplicación de cartera la abre. Pregúnteles dónde y no le diga nunca a nadie un código de sus correos.
received-wallet = Ya está en su cartera.
received-own = Está en la cartera que usted indicó. Ya no necesita la cartera del regalo.
received-either = Mire en la cartera que usted indicó y en la cartera del regalo, por favor: está en una de las dos.
fee-from-gift = Pasarlo más tarde cuesta una pequeña comisión de la red, que se paga del ETH que llegó.
fee-needs-ether = Abrirlo fue gratis. Solo pasarlo más tarde cuesta una pequeña comisión de la red en ETH. No pague a nadie que le escriba por eso: pregunte a alguien de su familia.

## Why something did not work

no-fee-spent = El presupuesto de hoy para pagar las comisiones de la red de los regalos se ha agotado. Habrá otro a partir de esta hora: { $time }.
no-fee-reserved = El presupuesto de hoy para pagar las comisiones de la red de los regalos está reservado para los que van en camino. Vuelva a intentarlo dentro de veinte minutos, por favor.
no-fee-here = Aquí no se pagan las comisiones de la red por quienes reciben regalos.
no-fee-paused = El pago de las comisiones de la red por quienes reciben regalos está en pausa en este momento. Vuelva a intentarlo más tarde, por favor.
no-fee-unknown = En este momento no se puede saber si la comisión de la red se puede pagar por usted. Vuelva a intentarlo dentro de unos minutos, por favor.
locked = Según el reloj de la red, el regalo sigue cerrado. Vuelva a intentarlo dentro de un minuto, por favor.
already-opened = Este regalo ya se ha abierto.
too-late = Se tardó demasiado en enviarlo. No ha pasado nada: vuelva a intentarlo, por favor.
signer-paused = Hoy falló en la red una retirada de esta cartera: no se pagan más comisiones por ella hasta mañana.
nonce-mismatch = Otro regalo de esta cartera está en camino, o este ya lo está. Espere un minuto, por favor, y vuelva a intentarlo.
already-used = Esto ya se envió antes. Vuelva a intentarlo, por favor: la página mirará entonces dónde está el regalo.
signer-mismatch = La firma no se reconoce como la de la cartera para la que se selló este regalo. No ha pasado nada. Con una cartera inteligente puede pagar usted la comisión.
gift-not-found = El regalo ya no se encuentra. Vuelva a cargar la página, por favor.
chain-unavailable = No se puede conectar con la red en este momento. No se ha perdido nada: vuelva a intentarlo dentro de unos minutos, por favor.
would-fail = La red lo rechazaría ahora mismo, o necesita más de lo que aquí se paga, así que no se envió. Vuelva a intentarlo más tarde, por favor. Con una cartera inteligente puede pagar usted la comisión.
problem-request = El servicio no pudo usar lo que envió esta página. No ha pasado nada: vuelva a cargar la página e inténtelo otra vez, por favor.
problem-service = El servicio tiene una avería en este momento. No se ha perdido nada: vuelva a intentarlo dentro de unos minutos, por favor.
problem-destination = El regalo no se puede enviar a esa dirección. No ha pasado nada: vuelva a intentarlo con otra cartera suya, por favor.
problem-no-destination = Este regalo solo puede llegar a la cartera del regalo. No ha pasado nada: vuelva a cargar la página y ábralo otra vez, por favor.
problem-not-opened-here = Esta página no puede abrir lo que hay en este regalo. No se ha perdido nada: pregunte a quien se lo regaló cómo abrirlo, por favor.
problem-unknown = El servicio lo rechazó por un motivo que esta página no conoce: { $code }. Vuelva a cargar la página e inténtelo otra vez, por favor. Si vuelve a ocurrir, diga esta palabra a quien le ayude.
too-often = Se ha intentado demasiadas veces. Espere { $wait }, por favor, y vuelva a intentarlo.
service-away = El servicio no responde. ¿Tiene conexión a internet? No se ha perdido nada: vuelva a intentarlo pronto, por favor.
went-wrong = Algo falló en esta página. Al regalo no le ha pasado nada: vuelva a cargar la página e inténtelo otra vez, por favor.
