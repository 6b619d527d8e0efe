## Greetings, by occasion

greeting-gift = Un regalo para ti
greeting-birthday = Feliz cumpleaños
greeting-wedding = Felicidades por vuestra boda
greeting-anniversary = Feliz aniversario
greeting-new-baby = Bienvenido al mundo
greeting-graduation = Felicidades por tu graduación
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
card-subline = Te espera un regalo sellado

## The gift and its state

when-open = Este regalo ya se puede abrir.
when-claimed = Este regalo se ha abierto y ya está en manos de quien lo recibió.
opened-on = Este regalo se abrió el { $moment }.
sealed-until = Este regalo está sellado hasta el { $moment }.
inside = Contenido
asset-paid-out = { $amount } (pagado en ETH)
asset-without-name = tokens
asset-base-units = { $units } unidades básicas de { $symbol }
the-gift = El regalo
advice-link = Quien tenga este enlace puede ver el regalo. Solo puede recibirlo la cartera para la que se selló.
advice-paper = La clave está impresa en la hoja que lo acompañaba. Guarda bien la hoja y no le digas la clave a nadie: quien te ayude no necesita conocerla.
advice-email = Se selló para tu dirección de correo. Para abrirlo recibirás allí un código; no se lo digas a nadie.
claimed-paper = Lo que contenía está en la cartera de la clave de tu hoja: guarda la hoja hasta que lo hayas pasado a una cartera tuya.
claimed-email = Lo que contenía está en la cartera de tu dirección de correo, que el proveedor de acceso Turnkey guarda para ti. Solo quien lee tu correo puede usar esa cartera, así que protege tu buzón. Esta página solo abre regalos. Para moverlo, por una tarifa de red en ETH, se entra en esa cartera en otro lugar: pregunta dónde a quien te lo regaló, y no le digas nunca a nadie un código de tus correos.
seal-forward = Sellar uno para alguien
about-gift = Sobre este regalo
fact-sealed = Sellado
fact-opens = Se abre
fact-opened = Abierto
fact-sealed-for = Sellado para
fact-network = Red
fact-gift = Regalo
gift-number = número { $number } de
letter-stays = Si hay un mensaje personal, está en la parte de este enlace que sigue al signo #: se queda en tu navegador y nunca se nos envía.

## No gift is shown

no-gift = Aquí no hay ningún regalo
no-gift-1 = Por favor, revisa el enlace.
no-gift-2 = Un regalo sellado hace un minuto puede tardar un momento en aparecer.
cut-off = Este enlace está incompleto
cut-off-1 = Se perdió una parte, quizá al copiarlo. No se ha perdido nada más: el regalo está a salvo donde está.
cut-off-2 = Por favor, abre el enlace completo, tal como te lo dieron.
not-served = Este regalo está en otra red
not-served-1 = El enlace nombra una red que esta página no conoce. No se ha perdido nada: el regalo está a salvo donde está.
not-served-2 = Por favor, revisa el enlace o pregunta a quien te lo dio dónde se abre.
not-shown = Este regalo no se puede mostrar aquí
not-shown-1 = Contiene algo que esta página no conoce, o ya no conoce. No se ha perdido nada: el regalo está a salvo donde está.
not-shown-2 = Por favor, pregunta a quien te lo dio cómo abrirlo.
not-now = El regalo no se puede mostrar ahora mismo
not-now-1 = No se ha perdido nada: está a salvo donde está. Inténtalo de nuevo pronto.
too-many = Espera un momento, por favor
too-many-1 = Muchísimas personas han pedido regalos desde tu red en este minuto.
too-many-2 = No se ha perdido nada: vuelve a cargar esta página dentro de un minuto.
none-for = No se encontró ningún regalo para esta hoja
none-for-1 = Si has escrito el enlace, compáralo con tu hoja: puede haber una letra o un número distinto.
none-for-2 = Un regalo sellado hace un minuto puede tardar un momento: inténtalo de nuevo enseguida.
not-shown-for = No se encontró ningún regalo que se pueda mostrar aquí
not-shown-for-1 = Para esta hoja hay sellado algo que esta página no conoce, o ya no conoce. No se ha perdido nada: está a salvo donde está.
not-shown-for-2 = Si aún no has abierto tu regalo, pregunta a quien te dio la hoja cómo abrirlo.
not-shown-for-3 = Si ya lo has abierto, este es otro, quizá de un desconocido. Lo que contenía el tuyo está en la cartera de la clave de tu hoja: guarda la hoja hasta que lo hayas pasado a una cartera tuya.
mistyped = Este enlace tiene un error
mistyped-1 = Una letra o un número de la dirección no coincide con lo impreso, o falta. No se ha perdido nada.
mistyped-2 = Por favor, compáralo con tu hoja, desde el 0x en adelante, o escanea el código de la portada de la hoja.
rewritten = Este enlace se cambió por el camino
rewritten-1 = Un programa de correo o un filtro cambió sus signos. No se ha perdido nada: el regalo está a salvo donde está.
rewritten-2 = En la barra de direcciones, cambia %23 por # y %3F por ?. O abre el enlace tal como te lo dieron, en otro programa de correo o navegador.

## The letter, the calendar and sharing

letter-label = Mensaje personal
letter-from = De { $name }
letter-damaged = El mensaje no llegó completo
letter-damaged-1 = Una parte del enlace se perdió por el camino y el mensaje personal no se puede leer. El regalo está a salvo y se puede abrir igualmente. Pide a quien te lo envió que te mande otra vez el enlace completo.
calendar-add = Añadir el día a tu calendario
calendar-title = Se abre un regalo para ti
opens-in = Se abre en { $days }, { $hours } y { $minutes }.
day-has-come = Ha llegado el día. Un momento…
share = Compartir u ocultar el mensaje
share-words = Quien tenga el enlace puede ver este regalo; solo su destinatario puede abrirlo. El mensaje personal forma parte del enlace en tu barra de direcciones. Quítalo de ahí antes de compartir esta página o de enseñarla: al volver a cargarla ya no estará, así que guarda antes el enlace completo para ti.
share-copy-whole = Copiar el enlace completo
share-copied-whole = Enlace completo copiado.
share-copy-bare = Copiar el enlace sin él
share-copied-bare = Enlace sin el mensaje copiado.
share-take-out = Quitar el mensaje
share-taken-out = El mensaje ya no está en la barra de direcciones. El enlace que hay ahora se puede compartir sin él.
share-not-allowed = Tu navegador no lo permitió. Copia el enlace de la barra de direcciones.

## The ways to open it

try-again = Reintentar
one-moment = Un momento…
looking-for-way = Buscando la forma de abrirlo…
open-your-gift = Abre tu regalo
costs-nothing = No te cuesta nada: la tarifa de red está pagada.
way-paper = Con la clave de mi hoja impresa
way-email = Con un código enviado a mi correo
way-wallet = Con mi propia cartera
no-codes = Ahora no se pueden enviar códigos. Inténtalo más tarde.
stays-where = No se ha perdido nada: tu regalo sigue donde está.
stays-self-paid = No se ha perdido nada: tu regalo sigue donde está. Mientras tanto solo puede abrirlo una cartera que pague ella misma la tarifa.
look-again = Mirar otra vez
wallet-signs = Tu cartera está firmando…
open-my-gift = Abrir mi regalo

## With the printed key

paper-words = Despliega tu hoja: la clave está en la parte blanca. Se queda en este dispositivo y nunca se envía a nadie; aquí firma y se olvida al momento.
paper-legend = La clave, tal como está impresa: 16 grupos de 4
paper-group = Grupo { $number } de { $groups }
paper-typed-wrong = Esta no es la clave de este regalo. Compara cada grupo con tu hoja: hay una letra o un número distinto.
paper-scanned-wrong = Esta no es la clave de este regalo. ¿Es la hoja de otro regalo?
paper-no-key = Ese código no es la clave. Escanea el de la parte blanca, dentro de la hoja plegada.
paper-bad-letter = El grupo { $number } tiene una letra que ninguna clave tiene: solo de 0 a 9 y de a a f.
paper-too-short = El grupo { $number } necesita 4 caracteres.
camera-scan-key = Escanearla con la cámara
camera-picture = Imagen de la cámara
camera-hold = Pon el código cuadrado de la parte blanca delante de la cámara.
camera-stop = Parar la cámara
camera-unusable-key = La cámara no se puede usar aquí. Escribe la clave, por favor.
camera-or-type = o escríbela

## With the email address

email-words = Este regalo se selló para una dirección de correo. Escríbela y el proveedor de acceso enviará allí un código: a nosotros no nos llega ninguno de los dos.
email-label = Tu dirección de correo
email-send-code = Enviarme un código
email-none = Esto no es una dirección de correo. Revísala, por favor.
code-words = Hay un código en camino a { $email }. Escríbelo aquí y no se lo digas a nadie.
code-words-reloaded = Hay un código en camino a tu dirección. Escríbelo aquí y no se lo digas a nadie.
code-label = El código del correo
code-none = Por favor, escribe el código del correo.
code-another = Enviar otro código
code-another-reloaded = Pedir otro código
email-another = Usar otra dirección
code-wrong = Ese código no es correcto o ya no es válido. Usa el correo más reciente o pide otro código.
email-wrong = Esta dirección no abre este regalo. Quizá se selló para otra dirección tuya.
code-too-many = Se ha intentado demasiadas veces. Espera unos minutos y pide otro código.
provider-away = El proveedor de acceso no responde ahora. No se ha perdido nada: inténtalo de nuevo pronto.

## With a wallet

wallet-sealed-for = Este regalo se selló para la cuenta { $account }. Tu cartera te pide que aceptes; nunca se le pide una clave.
wallet-self-paid-works = Pagar tú la tarifa siempre funciona.
wallet-none = No se encontró ninguna cartera en este navegador. En un teléfono, abre este enlace en el navegador de tu app de cartera; en un ordenador, usa el navegador que tiene tu cartera.
wallet-keep-weth = Recibir ether envuelto (WETH) en lugar de ETH
wallet-keep-token = Recibir { $symbol } en lugar de ETH
wallet-keep-tokens = Recibir los propios tokens en lugar de ETH
wallet-busy = Una cartera todavía te está preguntando. Responde allí, o vuelve a cargar esta página para elegir otra.
wallet-asks = { $wallet } te pregunta ahora. Si no ves su ventana, ábrela tú.
wallet-pay-fee = Pagar yo la tarifa
wallet-pay-fee-with = Pagar yo la tarifa con { $wallet }
wallet-open-free = Abrir gratis con { $wallet }
wallet-of-browser = La cartera de este navegador
wallet-no-account = { $wallet } no usa ninguna cuenta, pero este regalo se selló para { $recipient }. Elige esa cuenta en tu cartera e inténtalo de nuevo.
wallet-other-account = { $wallet } usa la cuenta { $account }, pero este regalo se selló para { $recipient }. Elige esa cuenta en tu cartera e inténtalo de nuevo.
wallet-names-none = { $wallet } no indica ninguna cuenta. Escribe la dirección, por favor.
wallet-choose-network = Elige la red { $network } en { $wallet } e inténtalo de nuevo.
wallet-unknown-network = { $wallet } no conoce la red de este regalo, { $network }. Añádela allí primero.
wallet-other-network = Este regalo está en otra red que tu cartera. Elige la red { $network } en { $wallet } e inténtalo de nuevo.
wallet-wrong-recipient = Este regalo se selló para otra cuenta. Elige esa cuenta en tu cartera e inténtalo de nuevo.
wallet-empty-gift = En este regalo ya no queda nada.
wallet-declined = Has rechazado en { $wallet }. No ha pasado nada.
wallet-pending = { $wallet } ya te está preguntando algo. Responde allí primero.
wallet-no-ether = No hay suficiente ETH en tu cartera para pagar la tarifa de red. La forma sin tarifa funciona, donde se ofrece.
wallet-failed = { $wallet } no pudo hacerlo. No ha pasado nada: inténtalo de nuevo.
wallet-look = Mira en tu cartera, por favor
wallet-silent = Está en camino, pero nadie responde ahora. Se vuelve a preguntar…
wallet-still = Está en camino, por lo que sabe esta página. Si lo paraste en tu cartera, puedes empezar de nuevo; nada se puede abrir dos veces.
wallet-was-asked = Se preguntó a tu cartera antes de que esta página se volviera a cargar. Si aceptaste allí, tu regalo está en camino; si no, empieza de nuevo. Nada se puede abrir dos veces.
start-again = Empezar de nuevo

## Where it lands

destination = ¿Adónde debe llegar?
destination-own = A una cartera tuya
destination-own-words = Llega allí enseguida y no pagas ninguna tarifa.
destination-label = La dirección de tu cartera
destination-look = Revisarla una vez más
destination-scan = Escanear su código con la cámara
destination-no-camera = La cámara no se puede usar aquí. Escribe la dirección, por favor.
destination-use-wallet = Usar { $wallet }
destination-gift-wallet = En la cartera del regalo
destination-kept-paper = Se queda con la clave de tu hoja. Para moverlo después, importas la clave en una app de cartera y pagas una tarifa de red.
destination-kept-email = Se queda en la cartera de tu dirección de correo. Para moverlo después, entras allí y pagas una tarifa de red.
destination-keep = Dejarlo en la cartera del regalo
destination-confirm = ¿Es esta tu cartera?
destination-compare = Compara cada letra con la dirección que muestra tu app de cartera. Algunos programas cambian una dirección al copiarla.
destination-unchecked = Esta dirección no tiene letras de control: un error en ella no se notaría.
destination-final = Lo que llega a una cartera equivocada no se puede recuperar.
destination-yes = Sí, envíalo allí
destination-another = Usar otra
destination-no-address = Esto no es la dirección de una cartera. Empieza por 0x y siguen 40 letras y cifras.
destination-other-network = Este código es de otra red. Usa una dirección de la red de este regalo.
destination-mistake = Una letra o cifra de esta dirección no es correcta. Cópiala otra vez de tu cartera.
destination-nobody = Nadie tiene la clave de esta dirección: lo que se envía allí se pierde.
destination-contract = Esta es la dirección de un contrato, no de una cartera: lo que se envía allí se pierde.
destination-same = Esta es la propia cartera del regalo. Para dejarlo en ella, elígelo abajo.

## On its way

on-its-way = Tu regalo está en camino
step-signed = Firmado en este dispositivo
step-handed = Entregado a la red
step-confirmed = Confirmado por la red
sending-signature = Se está enviando tu firma…
looking-where = Mirando dónde está tu regalo…
service-silent = El servicio no responde ahora; se vuelve a preguntar…
now-arrived = Tu firma ha llegado. Se está enviando a la red…
now-predecessor = Antes va otro regalo tuyo. Este le sigue solo…
now-sending = Se está enviando a la red…
now-broadcast = Está en camino. La red suele tardar menos de un minuto…
now-mined = ¡Tu regalo ha llegado! La red lo está haciendo definitivo…
now-failed = La red rechazó la transacción. Ese resultado se hace definitivo en un cuarto de hora, más o menos. Después puedes intentarlo otra vez.
why-fees = La red está muy ocupada y sus tarifas están altas ahora. Tu regalo sigue en cuanto bajen.
why-balance = Hay que llenar antes la cartera del servicio, que paga la tarifa de red. Después tu regalo sigue solo.
why-daily-cap = El presupuesto de hoy para tarifas de red no tiene sitio ahora. Tu regalo sigue solo cuando lo tenga.
why-chain = La red no responde ahora. Tu regalo sigue solo cuando responda.
why-earlier = Otros se envían a la red antes que el tuyo. Le sigue solo.
why-paused = El pago de las tarifas de red está en pausa ahora. Después tu regalo sigue solo.
why-would-fail = La red lo rechazaría ahora mismo. Se vuelve a intentar solo.
meanwhile = Puedes dejar esta página abierta o volver más tarde. Al cabo de una hora se te pide que lo abras otra vez.
choose-another-way = Elegir otra forma
see-transaction = Ver la transacción { $hash }
transaction = transacción { $hash }
not-yet = Todavía no ha funcionado
see-what-works = Ver qué funciona ahora
nothing-sent = No se envió nada: el regalo sigue ahí.
trouble-reverted = La red rechazó la transacción. No se movió nada: el regalo sigue ahí.
trouble-refused = La red rechazó la transacción. El regalo sigue ahí.
trouble-expired = No se pudo enviar a tiempo, así que no se movió nada. El regalo sigue ahí: inténtalo de nuevo.
trouble-superseded = Antes se envió otra cosa para esta cartera. Puede que el regalo siga ahí: mira otra vez.
trouble-cancelled = Lo canceló la cartera para la que es. El regalo sigue ahí.
trouble-unknown = Este intento ha terminado y el regalo no se ha movido: mira otra vez.

## Received

you-opened = Has abierto este regalo.
it-is-yours = Es tuyo
arrived-at = { $gift } ha llegado a { $account }.
was-paid-out = { $gift } se ha pagado.
received-paper = Ahora está en la cartera de la clave de tu hoja. Guarda bien la hoja: necesitas su clave para pasar el regalo a una cartera tuya, importándola en una app de cartera cuando quieras.
received-email = Ahora está en la cartera de tu dirección de correo, que el proveedor de acceso Turnkey guarda para ti. Cualquiera que pueda leer tu correo puede usar esa cartera, así que protege tu buzón. Esta página solo abre regalos. Para moverlo, se entra en esa cartera en otro lugar: pregunta dónde a quien te lo regaló, y no le digas nunca a nadie un código de tus correos.
received-wallet = Ya está en tu cartera.
received-own = Está en la cartera que indicaste. Ya no necesitas la cartera del regalo.
received-either = Mira en la cartera que indicaste y en la cartera del regalo: está en una de las dos.
fee-from-gift = Moverlo después cuesta una pequeña tarifa de red, que se paga con el ETH recibido.
fee-needs-ether = Moverlo después cuesta una pequeña tarifa de red, así que esa cartera necesita antes un poco de ETH.

## Why something did not work

no-fee-spent = El presupuesto de hoy para pagar las tarifas de red de los regalos se ha agotado. Hay uno nuevo a las { $time }.
no-fee-reserved = El presupuesto de hoy para pagar las tarifas de red está reservado por los regalos en camino. Inténtalo de nuevo en veinte minutos.
no-fee-here = Aquí no se pagan las tarifas de red de los destinatarios.
no-fee-paused = El pago de las tarifas de red está en pausa ahora. Inténtalo más tarde.
no-fee-unknown = Ahora no se sabe si la tarifa de red se puede pagar por ti. Inténtalo de nuevo en unos minutos.
locked = El regalo sigue bloqueado por el reloj de la red. Inténtalo de nuevo en un minuto.
already-opened = Este regalo ya se ha abierto.
too-late = Se tardó demasiado en enviarlo. No ha pasado nada: inténtalo de nuevo.
signer-paused = Hoy falló en la red una retirada de esta cartera: hasta mañana no se pagan más tarifas por ella.
nonce-mismatch = Otro regalo de esta cartera está en camino, o este ya lo está. Espera un minuto e inténtalo de nuevo.
already-used = Esto ya se envió antes. Inténtalo de nuevo: la página mirará dónde está el regalo.
signer-mismatch = Esta firma no es de la cartera para la que se selló el regalo. No ha pasado nada. Con una cartera inteligente puedes pagar tú la tarifa.
gift-not-found = Ya no se encuentra el regalo. Vuelve a cargar la página, por favor.
chain-unavailable = Ahora no se puede llegar a la red. No se ha perdido nada: inténtalo de nuevo en unos minutos.
would-fail = La red lo rechazaría ahora, o necesita más de lo que se paga aquí, así que no se envió. Inténtalo más tarde. Con una cartera inteligente puedes pagar tú la tarifa.
too-often = Se ha intentado demasiadas veces. Espera { $wait } e inténtalo de nuevo.
service-away = El servicio no responde. ¿Tienes conexión a internet? No se ha perdido nada: inténtalo de nuevo pronto.
went-wrong = Algo ha fallado en esta página. Al regalo no le ha pasado nada: vuelve a cargar la página e inténtalo de nuevo.
