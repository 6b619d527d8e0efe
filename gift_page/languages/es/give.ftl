## Occasions, with messages a giver may start from: greetings of the language, not word by word

occasion-gift = Un regalo
gift-1 = Un detalle para ti, sellado hasta el día en que se abra.
gift-2 = Guardé esto para ti. Ábrelo cuando llegue el día y acuérdate de mí.
gift-3 = Para ti, con cariño.
occasion-birthday = Cumpleaños
birthday-1 = ¡Feliz cumpleaños! Este regalo pide un poco de paciencia, pero es tuyo.
birthday-2 = Un año más de ti: el mejor motivo para celebrar. ¡Feliz cumpleaños!
birthday-3 = Que este nuevo año te trate con cariño. ¡Muchas felicidades!
occasion-wedding = Boda
wedding-1 = Por los dos, y por todo lo que vais a construir juntos.
wedding-2 = Os deseo una vida llena de días buenos y sencillos.
wedding-3 = Con todo mi cariño para los dos, hoy y todos los años que vendrán.
occasion-anniversary = Aniversario
anniversary-1 = Por los años vividos y por los muchos que vendrán. ¡Feliz aniversario!
anniversary-2 = Vuestra historia sigue siendo mi favorita. Feliz aniversario.
anniversary-3 = Por nosotros, con todo mi amor.
occasion-new-baby = Nacimiento
new-baby-1 = ¡Te damos la bienvenida al mundo! Esto te esperará hasta que seas mayor.
new-baby-2 = Hoy una vida pequeñita, mañana grande: un regalo para los años que vienen.
new-baby-3 = Qué alegría que hayas llegado.
occasion-graduation = Graduación
graduation-1 = ¡Lo lograste! Qué orgullo tan grande.
graduation-2 = Un comienzo, para lo que quieras empezar ahora.
graduation-3 = Por todo el esfuerzo que nadie vio: ¡enhorabuena!
occasion-bar-bat-mitzvah = Bar o Bat Mitzvá
bar-bat-mitzvah-1 = ¡Mazal tov! Hoy nos llenas de orgullo.
bar-bat-mitzvah-2 = Un día para recordar, y algo para los años que siguen.
bar-bat-mitzvah-3 = Con cariño en tu día. Que siempre vayas a más.
occasion-thank-you = Agradecimiento
thank-you-1 = Gracias, por más de lo que cabe en una tarjeta.
thank-you-2 = Estuviste cuando hacía falta. Gracias.
thank-you-3 = Un pequeño gracias por un gran gesto.
occasion-new-home = Casa nueva
new-home-1 = Que esta casa se llene de buena compañía.
new-home-2 = Puerta nueva, llave nueva, vida nueva. ¡Feliz hogar!
new-home-3 = Para la casa, o para lo que haga falta.
occasion-someday = Algún día
someday-1 = Sin ningún motivo, solo por ti. Este crece hasta que lo abras.
someday-2 = Para el día en que te haga falta, o el día en que te apetezca.
someday-3 = Hoy he pensado en ti. Algún día leerás esto.
occasion-valentine = San Valentín
valentine-1 = Para ti, hoy y todos los demás días.
valentine-2 = Mi corazón ya estaba sellado para ti mucho antes que este regalo.
valentine-3 = Todo mi amor, siempre.
occasion-new-year = Año Nuevo
new-year-1 = ¡Salud, suerte y buena compañía en el año nuevo!
new-year-2 = Por todo lo que empieza. ¡Feliz Año Nuevo!
new-year-3 = Que el año nuevo te trate bien.
occasion-christmas = Navidad
christmas-1 = ¡Feliz Navidad! Este se queda un poco más debajo del árbol.
christmas-2 = Paz, calor y buena compañía en esta Navidad.
christmas-3 = Con cariño en Navidad y durante todo el año.
occasion-hanukkah = Janucá
hanukkah-1 = ¡Feliz Janucá! Que tu casa se llene de luz.
hanukkah-2 = Ocho noches de luz, y un regalo que espera su día.
hanukkah-3 = Os deseo a ti y a tu familia un Janucá luminoso y feliz.
occasion-eid = Eid
eid-1 = ¡Eid Mubarak! Que este día te traiga alegría y paz.
eid-2 = Mis mejores deseos para ti y tu familia en el Eid.
eid-3 = Eid Mubarak, con cariño y los mejores deseos.
occasion-diwali = Diwali
diwali-1 = ¡Feliz Diwali! Que tu año se llene de luz.
diwali-2 = Luz, dulzura y buena fortuna para ti y tu familia.
diwali-3 = Te deseo un Diwali luminoso y feliz.
occasion-easter = Pascua
easter-1 = ¡Feliz Pascua! Hay cosas que merece la pena buscar.
easter-2 = Primavera, sol y una pequeña sorpresa para ti.
easter-3 = Feliz Pascua para ti y toda tu familia.
occasion-lunar-new-year = Año Nuevo Lunar
lunar-new-year-1 = ¡Feliz Año Nuevo Lunar! Que la suerte te encuentre.
lunar-new-year-2 = Salud, prosperidad y felicidad en el año nuevo.
lunar-new-year-3 = Para el año nuevo: algo rojo, algo de suerte, algo que crece.

## The giver's wallet

seal-a-gift = Sellar un regalo
your-wallet = Tu cartera
giver-no-wallet = Todavía no se encontró ninguna cartera. En un teléfono, abre esta página en el navegador de tu app de cartera; en un ordenador, usa el navegador que tiene tu cartera.
giver-connect = Conectar { $wallet }
giver-account = { $wallet }: { $account } en { $network }
giver-connect-first = Conecta primero una cartera, por favor.
giver-connect-above = Conecta primero tu cartera, por favor: está arriba en esta página.
giver-no-chain = Aquí no se atiende ninguna red.
giver-declined = La cartera lo rechazó. No se envió nada.
giver-refused = La red lo rechaza. ¿Hay suficiente en tu cartera?
giver-too-little = No hay suficiente en tu cartera.
giver-failed = No ha funcionado. Inténtalo de nuevo, por favor.
giver-was-asked = Se pidió a tu cartera que sellara un regalo justo cuando esta página se volvió a cargar. Mira allí primero: lo que se envió está sellado, y su hoja impresa vale. Si lo sellas otra vez, será un segundo regalo.

## The form

form-gift = El regalo
form-occasion = Ocasión
form-language = Idioma del regalo
form-to = Para (un nombre)
form-from = De (tu nombre)
form-note = Tu mensaje
form-room = { $used } de { $most } caracteres como máximo
form-inside = Qué contiene
form-asset = Regalas
form-amount = Cuánto
form-opens = Se abre el
form-chain-clock = Según el reloj de la red, donde ahora es { $moment }.
form-how = Cómo se abre
form-paper = Con una clave impresa: imprimes una hoja y la entregas
form-wallet = Con una cartera que ya tiene: conoces su dirección
form-email = Con su dirección de correo: se envía allí un código al abrirlo
form-wallet-address = La dirección de su cartera
form-email-address = Su dirección de correo
form-continue = Continuar
letter-long-name = Un nombre puede tener { $most } caracteres como máximo.
letter-long-note = El mensaje puede tener { $most } caracteres como máximo.
letter-hidden = Un nombre o el mensaje contiene un carácter de control o invisible.
letter-address = Un nombre parece una dirección web o de correo. Escríbelo de otra manera, por favor.
letter-marks = Un nombre acumula demasiados signos sobre una letra.
letter-too-long = Los nombres y el mensaje son demasiado largos para un enlace.
form-no-day = Elige cuándo se abre el regalo, por favor.
form-future = Un regalo se abre en el futuro.
form-too-far = Un regalo se abre en un plazo de { $years } años. Revisa el año: después nadie puede cambiarlo.
form-two-readings = «{ $typed }» se puede leer de dos maneras. Escribe { $thousands } si son miles, o { $small } si no lo son.
form-whole-amount = Indica cuánto, en { $symbol }: un número entero, como 2.
form-bad-amount = Indica cuánto, en { $symbol }: como { $example }, con { $decimals } decimales como máximo y sin signo para los miles.
form-no-amount = Indica cuánto, por favor.
form-no-address = Esa no es la dirección de una cartera.
form-no-email = Esa no es una dirección de correo.

## The review

review = Léelo una vez más, por favor
review-gift = El regalo
review-amount = { $gift }, en { $network }
review-for = Para
review-for-paper = Quien tenga la hoja impresa. Guárdala como guardarías dinero en efectivo.
review-for-email = Quien lea el buzón { $email }. Si aún no tiene cartera, se crea una.
review-for-wallet = La cartera { $address }. Solo ella puede abrir el regalo.
review-opens = Se abre
review-moment = { $moment }, en tu zona horaria
review-fee = Tarifa de red
review-fee-words = La pagas en ETH. Tu cartera te muestra cuánto es antes de que aceptes.
review-final = Una vez sellado, nada de esto se puede cambiar. Nadie puede recuperar el regalo ni abrirlo antes: ni tú ni nosotros.
review-seal = Sellar el regalo
review-change = Cambiar algo
sheet-first = Imprime primero la hoja de la clave
sheet-first-words = La clave solo existe en esta página, hasta que la dejes. Sin la hoja nadie podrá abrir nunca el regalo.
sheet-printed = Está impresa, y puedo leer la clave en ella.
sheet-not-printed = Imprime primero la hoja, por favor, y confírmalo arriba.
sheet-throw-away = Si has impreso esa hoja, tírala: no hay nada sellado para su clave.

## Sealing

sealing-sign-recipient = Firma en tu cartera para quién es. Encontrar o crear la suya puede tardar después más de un minuto.
sealing-confirm = Confirma la transacción { $number } de { $all } en tu cartera.
sealing-on-its-way = La transacción { $number } de { $all } está en camino.
sealing-too-late = Mientras tanto ha llegado su día. Elige una fecha posterior, por favor.
sealing-refused = La red lo rechazó. No se selló nada.
sealed = El regalo { $number } está sellado. Se abre el { $moment }.
sealed-not-kept = Este navegador no guarda nada: guarda el enlace ahora.
seal-another = Sellar otro regalo

## Afterwards

kept-gift = Regalo { $number }
kept-title = Regalos sellados aquí
kept-some = Este navegador recuerda los enlaces de los regalos que sellaste en él. Nadie más los tiene.
kept-none = Este navegador recordará los enlaces de los regalos que selles en él. Nadie más los tendrá.
kept-item-for = { $occasion } para { $name }, regalo { $number }
kept-item = { $occasion }, regalo { $number }
kept-show = Mostrar
kept-show-item = Mostrar { $item }
kept-forget = Olvidar
kept-forget-item = Olvidar { $item }
kept-forget-sure = Olvidar para siempre: el enlace no se puede volver a crear
list-title = Lo que has sellado
list-none = Esta cartera aún no ha sellado nada.
list-unread = Ahora no se puede leer la lista de lo que has sellado. Esto es lo que recuerda tu navegador.
list-broken = El resto de la lista no se puede leer ahora.
list-rest = Tu navegador también recuerda estos: de otra cartera, más antiguos, muy recientes o que ya no están en la cadena.
list-more = Mostrar más
list-regular = Bloqueo temporal { $number }
list-soft = Bloqueo temporal flexible { $number }
list-sealed-until = Sellado. Se abre el { $moment }.
list-sealed = Sellado. No hay un día de apertura fijado.
list-open = Se puede abrir desde el { $moment }.
list-ended = Cerrado. Ya se ha retirado su contenido.
link-words = El enlace del regalo. Quien lo tenga lee tu mensaje; solo el destinatario puede abrir el regalo.
link-copy = Copiar el enlace
link-copied = Copiado.
link-not-allowed = Tu navegador no lo permitió. Copia el enlace de aquí.
page-sheet = Hoja de la clave
page-card = Tarjeta de regalo
page-record = Registro del regalo
page-as-printed = { $page }, tal como se imprimirá
page-print = Imprimir
page-save = Guardar como PNG
page-not-saved = No se pudo guardar. No se guardó nada: imprímela, por favor.
page-withheld = Este navegador no entrega la imagen a la página, contra el rastreo. No se guardó nada: imprímela, por favor.
page-not-drawn = { $page }: ahora no se puede dibujar. Muestra el regalo otra vez más abajo.
page-does-not-fit = { $page }: { $why }
record-needs-wallet = Conecta tu cartera para tener también el registro del regalo.
fonts-missing = No se pudieron cargar los tipos de letra. Inténtalo de nuevo, por favor.

## Telling the recipient by email

notify = Avísale por correo, si quieres
notify-email = Su dirección de correo
notify-when = Cuándo
notify-now = Ahora, y el día en que se abre
notify-scheduled = Un día que yo elija, y el día en que se abre
notify-opening = Solo el día en que se abre
notify-day = Avisar el
notify-privacy = La dirección y el enlace se guardan cifrados hasta que se abre el regalo, y no se envían a nadie más.
notify-go = Pedir que se le avise
notify-no-email = Indica su dirección de correo, por favor.
notify-no-day = Elige el día y la hora, por favor.
notify-bad-day = Elige un momento a partir de ahora y antes de que se abra el regalo, el { $moment }.
notify-done = Se le avisará.
notify-done-on = Se le avisará el { $moment }, y el día en que se abra.

## The printed pages

print-for = para { $name }
print-from = de { $name }
print-opens = Se abre el { $day }
print-scan = Escanea y mira tu regalo
print-scan-opens = Escanea y mira tu regalo. Se abre el { $day }.
print-note-too-long = El mensaje tiene demasiadas líneas para la tarjeta, en la que caben { $most }.
print-code-too-long = El mensaje es demasiado largo para el código impreso.
print-letter-too-long = Los nombres y el mensaje son demasiado largos para el código de la hoja, en el que caben { $room } bytes (una letra sencilla ocupa uno, otras de dos a cuatro).
sheet-key = La clave de este regalo
sheet-key-words = Quien lea esta clave puede llevarse el regalo. No la enseñes a nadie, y escríbela solo en la página que abre el código de la portada, ese día o después.
sheet-opens-for = Abre lo que está sellado para { $address }
sheet-closing = Para cerrar: dobla esta parte detrás de la portada y luego la de abajo encima; pega el borde.
sheet-how = Cómo abrir tu regalo
sheet-look = Mira
sheet-look-words = Escanea con tu teléfono el código de la portada. La página muestra qué hay dentro y cuándo se abre.
sheet-wait = Espera
sheet-wait-words = Guarda este sobre cerrado y seguro, como dinero en efectivo. Nadie puede reponerlo, tampoco quien te lo dio.
sheet-open = Abre
sheet-open-words = Ese día o después, despliega el sobre y abre otra vez la página. Escanea allí la clave o escríbela.
sheet-keep = Guarda
sheet-keep-words = El regalo está entonces en la cartera de esta clave. Guarda la hoja hasta que lo hayas pasado a una cartera tuya.
sheet-no-camera = Sin cámara:
sheet-safety = Quien te ayude no necesita la clave. No la fotografíes, envíes ni dictes, te la pida quien te la pida.

## The gift record

record-title = Registro del regalo
record-subtitle = Para los papeles de quien regala
record-value = Valor de mercado el { $day }, día del sellado
record-no-source = Sin fuente de precio
record-no-price = No había un precio fiable de { $symbols } para ese día cuando se imprimió esto. El valor hay que buscarlo en otro lugar.
record-price-recorded = Precio registrado ese día
record-price-older = Último precio al sellarse, de otro día
record-price-now = Precio al imprimir, del mismo día
record-price-now-older = Precio al imprimir, de otro día
record-price = 1 { $symbol } = US$ { $price } (ronda { $round } de Chainlink, { $moment })
record-basis = { $how }: { $prices }.
record-given = Regalado
record-sealed = Sellado
record-opens = Se abre
record-given-by = Regalado por
record-giver = Cuenta de quien regala
record-given-to = Regalado a
record-sealed-for = Sellado para
record-network = Red
record-network-words = { $network } (cadena { $number })
record-number = Número del regalo
record-contract = Contrato
record-transaction = Transacción (código)
record-seen-at = Se puede ver en
record-base-units = unidades básicas de { $token }
record-moment = { $day }, { $time } UTC
record-disclaimer = Este registro no es asesoramiento fiscal ni una tasación. Dice lo que consta en la cadena pública y, si había una fuente de precio, un valor calculado con ella. Cómo se valora y se declara un regalo, quién y cuándo, depende de la ley que se te aplica: consulta a un profesional.
