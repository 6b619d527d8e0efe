## Occasions, with messages a giver may start from: greetings of the language, not word by word

occasion-gift = Un regalo
gift-1 = Un pequeño detalle, sellado para ti hasta el día en que se abra.
gift-2 = Guardé esto para ti. Ábrelo cuando llegue el día y acuérdate de mí.
gift-3 = Para ti, con todo mi cariño.
occasion-birthday = Cumpleaños
birthday-1 = ¡Feliz cumpleaños! Este regalo pide un poco de paciencia, pero es tuyo.
birthday-2 = Un año más contigo: el mejor motivo para celebrar. ¡Feliz cumpleaños!
birthday-3 = Que este nuevo año de vida te traiga cosas bonitas. ¡Feliz cumpleaños, con cariño!
occasion-wedding = Boda
wedding-1 = Por los dos, y por todo lo que van a construir juntos.
wedding-2 = Les deseo una vida llena de pequeñas alegrías.
wedding-3 = Con todo mi cariño para los dos, hoy y en todos los años por venir.
occasion-anniversary = Aniversario
anniversary-1 = Por los años vividos y los muchos que quedan. ¡Feliz aniversario!
anniversary-2 = Mi historia favorita sigue siendo la suya. ¡Feliz aniversario!
anniversary-3 = Por nosotros, con todo mi amor.
occasion-new-baby = Nacimiento
new-baby-1 = ¡Te damos la bienvenida al mundo! Esto te esperará hasta que crezcas.
new-baby-2 = Hoy cabes en unos brazos, mañana volarás: un regalo para los años por venir.
new-baby-3 = ¡Qué felicidad que ya estés aquí!
occasion-graduation = Graduación
graduation-1 = ¡Lo lograste! ¡Qué orgullo!
graduation-2 = Un comienzo, para lo que quieras empezar ahora.
graduation-3 = Por todo el esfuerzo que nadie vio: ¡felicidades!
occasion-bar-bat-mitzvah = Bar o bat mitzvá
bar-bat-mitzvah-1 = ¡Mazal tov! ¡Qué orgullo verte hoy!
bar-bat-mitzvah-2 = Un día para recordar, y algo para los años que siguen.
bar-bat-mitzvah-3 = Con cariño en tu gran día. Que sigas creciendo con fuerza y alegría.
occasion-thank-you = Agradecimiento
thank-you-1 = Gracias, por más de lo que cabe en una tarjeta.
thank-you-2 = Estuviste ahí cuando más importaba. Gracias.
thank-you-3 = Un pequeño gracias por un gesto tan grande.
occasion-new-home = Casa nueva
new-home-1 = Que esta casa se llene siempre de buena compañía.
new-home-2 = Una puerta nueva, una llave nueva, un nuevo comienzo. ¡Feliz nuevo hogar!
new-home-3 = Para la casa, o para lo que acabe haciendo falta.
occasion-someday = Algún día
someday-1 = No es un día especial, lo especial eres tú. Esto crece hasta que lo abras.
someday-2 = Para el día en que lo necesites, o el día en que lo quieras.
someday-3 = Hoy pensé en ti. Algún día leerás esto.
occasion-valentine = San Valentín
valentine-1 = Para ti, hoy y todos los días.
valentine-2 = Mi corazón ya era tuyo mucho antes que este regalo.
valentine-3 = Todo mi amor, siempre.
occasion-new-year = Año Nuevo
new-year-1 = ¡Salud, suerte y buena compañía en el nuevo año!
new-year-2 = Por todo lo que empieza. ¡Feliz Año Nuevo!
new-year-3 = Que el nuevo año te trate con cariño.
occasion-christmas = Navidad
christmas-1 = ¡Feliz Navidad! Este regalo se queda un poco más bajo el árbol.
christmas-2 = Paz, calor y buena compañía en esta Navidad.
christmas-3 = Con cariño en Navidad y durante todo el año.
occasion-hanukkah = Janucá
hanukkah-1 = ¡Feliz Janucá! Que tu hogar se llene de luz.
hanukkah-2 = Ocho noches de luz, y un regalo que espera su día.
hanukkah-3 = Para ti y tu familia, una Janucá feliz y luminosa.
occasion-eid = Eid
eid-1 = ¡Eid Mubarak! Que este día te traiga alegría y paz.
eid-2 = Los mejores deseos para ti y tu familia en el Eid.
eid-3 = Eid Mubarak, con cariño y los mejores deseos.
occasion-diwali = Diwali
diwali-1 = ¡Feliz Diwali! Que tu año se llene de luz.
diwali-2 = Luz, dulzura y buena fortuna para ti y tu familia.
diwali-3 = Te deseo un Diwali feliz y luminoso.
occasion-easter = Pascua
easter-1 = ¡Feliz Pascua! Hay cosas que vale la pena buscar.
easter-2 = Primavera, sol y una pequeña sorpresa para ti.
easter-3 = Feliz Pascua para ti y tu familia.
occasion-lunar-new-year = Año Nuevo Lunar
lunar-new-year-1 = ¡Feliz Año Nuevo Lunar! Que la suerte te encuentre.
lunar-new-year-2 = Salud, prosperidad y felicidad en el nuevo año.
lunar-new-year-3 = Para el nuevo año: algo rojo, algo de suerte y algo que crece.

## The giver's wallet

seal-a-gift = Sellar un regalo
your-wallet = Su cartera
giver-no-wallet = Todavía no se encontró ninguna cartera. En un teléfono, abra esta página en el navegador de su aplicación de cartera; en un ordenador o computadora, use el navegador que tiene su cartera.
giver-connect = Conectar { $wallet }
giver-account = { $wallet }: { $account } en { $network }
giver-connect-first = Conecte primero una cartera, por favor.
giver-connect-above = Conecte primero su cartera, por favor: está en la parte de arriba de esta página.
giver-no-chain = Aquí no se ofrece ninguna red.
giver-declined = La cartera lo rechazó. No se envió nada.
giver-refused = La red lo rechaza. ¿Hay suficiente en su cartera?
giver-too-little = No hay suficiente en su cartera.
giver-failed = No ha funcionado. Vuelva a intentarlo, por favor.
giver-was-asked = Su cartera tenía pendiente sellar un regalo cuando esta página se volvió a cargar. Mire primero allí, por favor: lo que se envió está sellado y su hoja impresa es válida. Sellarlo otra vez sería un segundo regalo.

## The form

form-gift = El regalo
form-occasion = Ocasión
form-language = Idioma del regalo
form-to = Para (un nombre)
form-from = De (su nombre)
form-note = Su mensaje
form-room = { $used } de { $most } caracteres como máximo
form-inside = Qué contiene
form-asset = Regalar
form-amount = Cuánto
form-opens = Se abre el
form-chain-clock = Según el reloj de la red, que ahora marca: { $moment }.
form-how = Cómo se abre
form-paper = Con una clave impresa: usted imprime una hoja y la entrega
form-wallet = Con una cartera que ya tiene: usted conoce su dirección
form-email = Con su dirección de correo: allí recibe un código al abrirlo
form-wallet-address = La dirección de esa cartera
form-email-address = Dirección de correo de la persona
form-continue = Continuar
letter-long-name = Un nombre puede tener { $most } caracteres como máximo.
letter-long-note = El mensaje puede tener { $most } caracteres como máximo.
letter-hidden = Un nombre o el mensaje contiene un carácter de control o invisible.
letter-address = Un nombre parece una dirección web o de correo. Escríbalo de otra forma, por favor.
letter-marks = Un nombre lleva demasiados signos sobre una misma letra.
letter-too-long = Los nombres y el mensaje son demasiado largos para un enlace.
form-no-day = Elija cuándo se abre el regalo, por favor.
form-future = Un regalo se abre en el futuro.
form-too-far = Un regalo se abre dentro de { $years } años como máximo. Revise el año, por favor: después nadie podrá cambiarlo.
form-two-readings = «{ $typed }» se puede leer de dos maneras. Escriba { $thousands } si se refiere a miles, o { $small } si no, por favor.
form-whole-amount = Indique cuánto, en { $symbol }, por favor: un número entero, por ejemplo 2.
form-bad-amount = Indique cuánto, en { $symbol }, por favor: por ejemplo { $example }, con { $decimals } decimales como máximo y sin separador de miles.
form-no-amount = Indique cuánto, por favor.
form-no-address = Esa no es la dirección de una cartera.
form-no-email = Esa no es una dirección de correo.

## The review

review = Lea esto una vez más, por favor
review-gift = El regalo
review-amount = { $gift }, en { $network }
review-for = Para
review-for-paper = Quien tenga la hoja impresa. Guárdela como guardaría dinero en efectivo, por favor.
review-for-email = Quien lea el buzón { $email }. Si aún no tiene cartera, se le crea una.
review-for-wallet = La cartera { $address }. Solo ella puede abrir el regalo.
review-opens = Se abre
review-lands = Adónde llega
review-lands-own = Al abrirlo, la persona dice adónde debe llegar: a una cartera propia o a la cartera de su dirección de correo.
review-lands-email = A la cartera de su dirección de correo, que guarda el servicio de acceso Turnkey. De allí solo se puede pasar a otro lugar en una aplicación de quienes gestionan { $site }; ninguna otra aplicación de cartera abre esa cartera. Pregúnteles dónde y dígaselo a quien recibe el regalo.
review-moment = { $moment }, en su zona horaria
review-fee = Comisión de la red
review-fee-words = La paga usted en ETH. Su cartera le muestra cuánto es antes de que acepte.
review-final = Una vez sellado, nada de esto se puede cambiar. Nadie puede recuperar el regalo ni abrirlo antes: ni usted, ni nosotros.
review-seal = Sellar el regalo
review-change = Cambiar algo
sheet-first = Imprima primero la hoja de la clave
sheet-first-words = La clave solo existe en esta página, hasta que usted salga de ella. Sin la hoja, nadie podrá abrir nunca el regalo.
sheet-printed = Está impresa y puedo leer la clave en ella.
sheet-not-printed = Imprima primero la hoja y confírmelo arriba, por favor.
sheet-throw-away = Si imprimió esa hoja, tírela: no hay nada sellado para su clave.

## Sealing

sealing-sign-recipient = Firme en su cartera para quién es, por favor. Encontrar o crear la cartera de esa persona puede tardar después más de un minuto.
sealing-confirm = Confirme la transacción { $number } de { $all } en su cartera, por favor.
sealing-on-its-way = La transacción { $number } de { $all } está en camino.
sealing-too-late = Entretanto ha llegado su día. Elija un momento posterior, por favor.
sealing-refused = La red lo rechazó. No se selló nada.
sealed = El regalo { $number } está sellado. Se abre el { $moment }.
sealed-not-kept = Este navegador no guarda nada: guarde el enlace ahora.
seal-another = Sellar otro regalo

## Afterwards

kept-gift = Regalo { $number }
kept-title = Regalos sellados aquí
kept-some = Este navegador recuerda los enlaces de los regalos que usted selló en él. Nadie más los recuerda.
kept-none = Este navegador recordará los enlaces de los regalos que usted selle en él. Nadie más los recordará.
kept-item-for = { $occasion } para { $name }, regalo { $number }
kept-item = { $occasion }, regalo { $number }
kept-show = Mostrar
kept-show-item = Mostrar { $item }
kept-forget = Olvidar
kept-forget-item = Olvidar { $item }
kept-forget-sure = Olvidar para siempre: el enlace no se puede volver a crear
list-title = Lo que usted ha sellado
list-none = Esta cartera aún no ha sellado nada.
list-unread = Ahora no se puede leer la lista de lo que usted ha sellado. Esto es lo que recuerda su navegador.
list-broken = El resto de la lista no se puede leer ahora.
list-rest = Su navegador también recuerda estos: de otra cartera, más antiguos, muy recientes o que ya no están en la cadena.
list-more = Mostrar más
list-regular = Bloqueo temporal { $number }
list-soft = Bloqueo temporal flexible { $number }
list-sealed-until = Sellado. Se abre el { $moment }.
list-sealed = Sellado. No hay un día de apertura fijado.
list-open = Se puede abrir desde el { $moment }.
list-ended = Cerrado. Ya se ha retirado su contenido.
link-words = El enlace del regalo. Quien lo tenga puede leer su mensaje; solo su destinatario puede abrir el regalo.
link-copy = Copiar el enlace
link-copied = Copiado.
link-not-allowed = Su navegador no lo permitió. Copie el enlace desde aquí.
page-sheet = Hoja de la clave
page-card = Tarjeta del regalo
page-record = Comprobante del regalo
page-as-printed = { $page }, tal como se imprimirá
page-print = Imprimir
page-save = Guardar como PNG
page-not-saved = No se pudo guardar. No se guardó nada: imprima la página, por favor.
page-withheld = Este navegador no deja que la página use la imagen, para evitar el rastreo. No se guardó nada: imprima la página, por favor.
page-not-drawn = { $page }: no se puede mostrar ahora mismo. Vuelva a mostrar el regalo más abajo.
page-does-not-fit = { $page }: { $why }
record-needs-wallet = Conecte su cartera para tener también el comprobante del regalo.
fonts-missing = No se pudieron cargar los tipos de letra. Vuelva a intentarlo, por favor.

## Telling the recipient by email

notify = Avisar por correo, si lo desea
notify-email = Dirección de correo de la persona
notify-when = Cuándo
notify-now = Ahora y el día en que se abra
notify-scheduled = El día que yo elija y el día en que se abra
notify-opening = Solo el día en que se abra
notify-day = Avisar el
notify-privacy = La dirección y el enlace se guardan cifrados hasta que el regalo se abra, y no se envían a nadie más.
notify-go = Encargar el aviso
notify-no-email = Indique la dirección de correo de la persona, por favor.
notify-no-day = Elija el día y la hora, por favor.
notify-bad-day = Elija, por favor, un momento a partir de ahora y antes de que se abra el regalo, el { $moment }.
notify-done = Avisaremos a esa persona.
notify-done-on = Avisaremos a esa persona el { $moment } y el día en que se abra.

## The printed pages

print-for = para { $name }
print-from = de { $name }
print-opens = Se abre el { $day }
print-scan = Escanee para ver su regalo
print-scan-opens = Escanee para ver su regalo. Se abre el { $day }.
print-note-too-long = El mensaje tiene demasiadas líneas para la tarjeta, en la que caben { $most }.
print-code-too-long = El mensaje es demasiado largo para el código impreso.
print-letter-too-long = Los nombres y el mensaje son demasiado largos para el código de la hoja, en el que caben { $room } bytes (una letra sencilla ocupa uno; otras, de dos a cuatro).
sheet-key = La clave de este regalo
sheet-key-words = Quien lea esta clave puede llevarse el regalo. No la enseñe a nadie, e introdúzcala solo en la página que abre el código de la portada, ese día o más tarde.
sheet-opens-for = Abre lo sellado para { $address }
sheet-closing = Para cerrar: doble este panel detrás de la portada y encima el de abajo; selle el borde.
sheet-how = Cómo abrir su regalo
sheet-look = Mirar
sheet-look-words = Escanee el código de la portada con su teléfono. La página muestra qué contiene y cuándo se abre.
sheet-wait = Esperar
sheet-wait-words = Guarde este sobre cerrado y a salvo, como dinero en efectivo. Nadie puede reponerlo, ni quien se lo dio.
sheet-open = Abrir
sheet-open-words = Ese día o más tarde, despliegue el sobre y abra otra vez la página. Escanee allí la clave o escríbala.
sheet-keep = Guardar
sheet-keep-words = El regalo está entonces en la cartera de esta clave. Guarde la hoja hasta pasarlo a una cartera propia.
sheet-no-camera = Sin cámara, vaya a
sheet-safety = Quien le ayude no necesita la clave. No la fotografíe, envíe ni dicte, la pida quien la pida.

## The gift record

record-title = Comprobante del regalo
record-subtitle = Para los papeles de quien regala
record-value = Valor de mercado el { $day }, el día en que se selló
record-no-source = Sin fuente de precios
record-no-price = Cuando se imprimió esto no había un precio fiable de { $symbols } para ese día. El valor se tiene que buscar en otro lugar.
record-price-recorded = Precio registrado para ese día
record-price-older = Último precio cuando se selló, de otro día
record-price-now = Precio al imprimir, del mismo día
record-price-now-older = Precio al imprimir, de otro día
record-price = 1 { $symbol } = US$ { $price } (Chainlink, ronda { $round }, { $moment })
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
record-base-units = unidades base de { $token }
record-moment = { $day }, { $time } UTC
record-disclaimer = Este comprobante no es asesoramiento fiscal ni una tasación. Recoge lo que consta en la cadena pública y, donde había una fuente de precios, un valor calculado con ella. Cómo se valora y se declara un regalo, quién lo hace y cuándo, depende de la ley que se le aplique a usted: consulte a un profesional.
