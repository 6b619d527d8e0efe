## Occasions, with messages a giver may start from: greetings of the language, not word by word

occasion-gift = Um presente
gift-1 = Uma lembrança para você, selada até o dia em que se abrir.
gift-2 = Guardei isto para você. Abra quando o dia chegar e pense em mim.
gift-3 = Para você, com carinho.
occasion-birthday = Aniversário
birthday-1 = Feliz aniversário! Este presente pede um pouco de paciência, mas é seu.
birthday-2 = Mais um ano de você: o melhor motivo para comemorar. Feliz aniversário!
birthday-3 = Que o novo ano seja gentil com você. Parabéns, com carinho.
occasion-wedding = Casamento
wedding-1 = A vocês dois, e a tudo o que vão construir juntos.
wedding-2 = Desejo a vocês uma vida cheia de dias bons e simples.
wedding-3 = Com carinho a vocês dois, hoje e por todos os anos que virão.
occasion-anniversary = Bodas
anniversary-1 = Aos anos vividos e aos muitos que virão. Felizes bodas!
anniversary-2 = A história de vocês continua a minha preferida. Felizes bodas.
anniversary-3 = Para nós, com todo o meu amor.
occasion-new-baby = Nascimento
new-baby-1 = Boas-vindas ao mundo! Isto vai esperar por você até você crescer.
new-baby-2 = Hoje uma vidinha, amanhã uma vida grande: um presente para os anos que vêm.
new-baby-3 = Que alegria ter você aqui.
occasion-graduation = Formatura
graduation-1 = Você conseguiu! Que orgulho.
graduation-2 = Um começo, para o que você quiser começar agora.
graduation-3 = Por todo o esforço que ninguém viu: parabéns!
occasion-bar-bat-mitzvah = Bar ou Bat Mitzvá
bar-bat-mitzvah-1 = Mazal tov! Hoje você nos enche de orgulho.
bar-bat-mitzvah-2 = Um dia para lembrar, e algo para os anos que seguem.
bar-bat-mitzvah-3 = Com carinho no seu dia. Que você vá sempre mais longe.
occasion-thank-you = Agradecimento
thank-you-1 = Obrigado, por mais do que cabe em um cartão.
thank-you-2 = Você esteve lá quando era preciso. Obrigado.
thank-you-3 = Um pequeno obrigado por uma grande gentileza.
occasion-new-home = Casa nova
new-home-1 = Que esta casa se encha de boa companhia.
new-home-2 = Porta nova, chave nova, vida nova. Feliz casa nova!
new-home-3 = Para a casa, ou para o que ela vier a precisar.
occasion-someday = Um dia
someday-1 = Sem data especial, só por você. Este cresce até você abrir.
someday-2 = Para o dia em que precisar, ou para o dia em que quiser.
someday-3 = Hoje pensei em você. Um dia você vai ler isto.
occasion-valentine = Dia dos Namorados
valentine-1 = Para você, hoje e em todos os outros dias.
valentine-2 = O meu coração já estava selado para você muito antes deste presente.
valentine-3 = Todo o meu amor, sempre.
occasion-new-year = Ano Novo
new-year-1 = Saúde, sorte e boa companhia no ano novo!
new-year-2 = A tudo o que começa. Feliz Ano Novo!
new-year-3 = Que o ano novo seja gentil com você.
occasion-christmas = Natal
christmas-1 = Feliz Natal! Este fica um pouco mais debaixo da árvore.
christmas-2 = Paz, calor e boa companhia para você neste Natal.
christmas-3 = Com carinho no Natal e durante o ano todo.
occasion-hanukkah = Chanucá
hanukkah-1 = Feliz Chanucá! Que a sua casa se encha de luz.
hanukkah-2 = Oito noites de luz, e um presente que espera o seu dia.
hanukkah-3 = Desejo a você e à sua família um Chanucá luminoso e feliz.
occasion-eid = Eid
eid-1 = Eid Mubarak! Que este dia traga alegria e paz a você.
eid-2 = Votos calorosos para você e a sua família no Eid.
eid-3 = Eid Mubarak, com carinho e os melhores votos.
occasion-diwali = Diwali
diwali-1 = Feliz Diwali! Que o seu ano seja cheio de luz.
diwali-2 = Luz, doçura e boa sorte para você e a sua família.
diwali-3 = Desejo a você um Diwali luminoso e feliz.
occasion-easter = Páscoa
easter-1 = Feliz Páscoa! Algumas coisas valem a procura.
easter-2 = Sol, alegria e uma pequena surpresa para você.
easter-3 = Feliz Páscoa para você e a sua família.
occasion-lunar-new-year = Ano Novo Lunar
lunar-new-year-1 = Feliz Ano Novo Lunar! Que a sorte encontre você.
lunar-new-year-2 = Saúde, prosperidade e felicidade no ano novo.
lunar-new-year-3 = Para o ano novo: algo vermelho, algo de sorte, algo que cresce.

## The giver's wallet

seal-a-gift = Selar um presente
your-wallet = A sua carteira
giver-no-wallet = Nenhuma carteira foi encontrada ainda. No celular, abra esta página no navegador do seu app de carteira; no computador, use o navegador que tem a sua carteira.
giver-connect = Conectar { $wallet }
giver-account = { $wallet }: { $account } em { $network }
giver-connect-first = Conecte primeiro uma carteira, por favor.
giver-connect-above = Conecte primeiro a sua carteira, por favor: ela está no topo desta página.
giver-no-chain = Nenhuma rede é atendida aqui.
giver-declined = A carteira recusou. Nada foi enviado.
giver-refused = A rede recusa isto. Há o suficiente na sua carteira?
giver-too-little = Não há o suficiente na sua carteira.
giver-failed = Não funcionou. Tente de novo, por favor.
giver-was-asked = Pediu-se à sua carteira que selasse um presente quando esta página foi recarregada. Olhe lá primeiro: o que foi enviado está selado, e a folha impressa vale. Selado outra vez, seria um segundo presente.

## The form

form-gift = O presente
form-occasion = Ocasião
form-language = Idioma do presente
form-to = Para (um nome)
form-from = De (o seu nome)
form-note = A sua mensagem
form-room = { $used } de no máximo { $most } caracteres
form-inside = O que há dentro
form-asset = Você dá
form-amount = Quanto
form-opens = Abre em
form-chain-clock = Pelo relógio da rede, onde agora é { $moment }.
form-how = Como se abre
form-paper = Com uma chave impressa: você imprime uma folha e a entrega
form-wallet = Com uma carteira que a pessoa tem: você sabe o endereço
form-email = Com o e-mail da pessoa: um código é enviado para lá ao abrir
form-wallet-address = O endereço da carteira da pessoa
form-email-address = O e-mail da pessoa
form-continue = Continuar
letter-long-name = Um nome pode ter no máximo { $most } caracteres.
letter-long-note = A mensagem pode ter no máximo { $most } caracteres.
letter-hidden = Um nome ou a mensagem contém um caractere de controle ou invisível.
letter-address = Um nome parece um endereço da web ou de e-mail. Escreva de outro jeito, por favor.
letter-marks = Um nome acumula sinais demais sobre uma letra.
letter-too-long = Os nomes e a mensagem são longos demais para um link.
form-no-day = Escolha quando o presente se abre, por favor.
form-future = Um presente se abre no futuro.
form-too-far = Um presente se abre dentro de { $years } anos. Confira o ano: depois ninguém pode mudá-lo.
form-two-readings = “{ $typed }” pode ser lido de dois jeitos. Escreva { $thousands } se são milhares, ou { $small } se não são.
form-whole-amount = Diga quanto, em { $symbol }: um número inteiro, como 2.
form-bad-amount = Diga quanto, em { $symbol }: como { $example }, com no máximo { $decimals } casas decimais e sem sinal para os milhares.
form-no-amount = Diga quanto, por favor.
form-no-address = Esse não é o endereço de uma carteira.
form-no-email = Esse não é um endereço de e-mail.

## The review

review = Leia mais uma vez, por favor
review-gift = O presente
review-amount = { $gift }, em { $network }
review-for = Para
review-for-paper = Quem tiver a folha impressa. Guarde-a como guardaria dinheiro vivo.
review-for-email = Quem ler a caixa { $email }. Uma carteira é criada se ainda não houver.
review-for-wallet = A carteira { $address }. Só ela pode abrir o presente.
review-opens = Abre
review-moment = { $moment }, no seu fuso horário
review-fee = Taxa de rede
review-fee-words = Você a paga em ETH. A sua carteira mostra quanto é antes de você concordar.
review-final = Depois de selado, nada disto pode ser mudado. Ninguém pode retomar o presente nem abri-lo antes: nem você, nem nós.
review-seal = Selar o presente
review-change = Mudar algo
sheet-first = Imprima primeiro a folha da chave
sheet-first-words = A chave existe só nesta página, até você sair dela. Sem a folha, ninguém poderá jamais abrir o presente.
sheet-printed = Está impressa, e consigo ler a chave nela.
sheet-not-printed = Imprima primeiro a folha, por favor, e confirme acima.
sheet-throw-away = Se você imprimiu aquela folha, jogue-a fora: nada está selado para a chave dela.

## Sealing

sealing-sign-recipient = Assine na sua carteira para quem é. Encontrar ou criar a carteira da pessoa pode levar mais de um minuto.
sealing-confirm = Confirme a transação { $number } de { $all } na sua carteira.
sealing-on-its-way = A transação { $number } de { $all } está a caminho.
sealing-too-late = O dia chegou nesse meio-tempo. Escolha uma hora mais tarde, por favor.
sealing-refused = A rede recusou isto. Nada foi selado.
sealed = O presente { $number } está selado. Abre em { $moment }.
sealed-not-kept = Este navegador não guarda nada: salve o link agora.
seal-another = Selar outro presente

## Afterwards

kept-gift = Presente { $number }
kept-title = Presentes selados aqui
kept-some = Este navegador lembra os links dos presentes que você selou nele. Ninguém mais os tem.
kept-none = Este navegador vai lembrar os links dos presentes que você selar nele. Ninguém mais os terá.
kept-item-for = { $occasion } para { $name }, presente { $number }
kept-item = { $occasion }, presente { $number }
kept-show = Mostrar
kept-show-item = Mostrar { $item }
kept-forget = Esquecer
kept-forget-item = Esquecer { $item }
kept-forget-sure = Esquecer de vez: o link não pode ser refeito
list-title = O que você selou
list-none = Esta carteira ainda não selou nada.
list-unread = A lista do que você selou não pode ser lida agora. Isto é o que o seu navegador lembra.
list-broken = O restante da lista não pode ser lido agora.
list-rest = O seu navegador também lembra destes: de outra carteira, mais antigos, muito novos ou que não estão mais na rede.
list-more = Mostrar mais
list-regular = Bloqueio temporal { $number }
list-soft = Bloqueio temporal flexível { $number }
list-sealed-until = Selado. Abre em { $moment }.
list-sealed = Selado. Não há dia de abertura definido.
list-open = Pode ser aberto desde { $moment }.
list-ended = Encerrado. O conteúdo já foi retirado.
link-words = O link do presente. Quem o tem lê a sua mensagem; só o destinatário pode abrir o presente.
link-copy = Copiar o link
link-copied = Copiado.
link-not-allowed = O seu navegador não permitiu. Copie o link daqui.
page-sheet = Folha da chave
page-card = Cartão do presente
page-record = Registro do presente
page-as-printed = { $page }, como será impresso
page-print = Imprimir
page-save = Salvar como PNG
page-not-saved = Não foi possível salvar. Nada foi salvo: imprima, por favor.
page-withheld = Este navegador não entrega a imagem à página, contra rastreamento. Nada foi salvo: imprima, por favor.
page-not-drawn = { $page }: não pode ser desenhado agora. Mostre o presente de novo abaixo.
page-does-not-fit = { $page }: { $why }
record-needs-wallet = Conecte a sua carteira para ter também o registro do presente.
fonts-missing = As fontes não puderam ser carregadas. Tente de novo, por favor.

## Telling the recipient by email

notify = Avise por e-mail, se quiser
notify-email = O e-mail da pessoa
notify-when = Quando
notify-now = Agora, e no dia em que se abre
notify-scheduled = Em um dia que eu escolho, e no dia em que se abre
notify-opening = Só no dia em que se abre
notify-day = Avisar em
notify-privacy = O endereço e o link ficam cifrados até o presente se abrir, e não são enviados a mais ninguém.
notify-go = Pedir o aviso
notify-no-email = Informe o e-mail da pessoa, por favor.
notify-no-day = Escolha o dia e a hora, por favor.
notify-bad-day = Escolha um momento a partir de agora e antes de o presente se abrir, em { $moment }.
notify-done = A pessoa será avisada.
notify-done-on = A pessoa será avisada em { $moment }, e no dia em que se abre.

## The printed pages

print-for = para { $name }
print-from = de { $name }
print-opens = Abre em { $day }
print-scan = Escaneie e veja o presente
print-scan-opens = Escaneie e veja o seu presente. Abre em { $day }.
print-note-too-long = A mensagem tem linhas demais para o cartão, em que cabem { $most }.
print-code-too-long = A mensagem é longa demais para o código impresso.
print-letter-too-long = Os nomes e a mensagem são longos demais para o código da folha, em que cabem { $room } bytes (uma letra simples ocupa um, outras de dois a quatro).
sheet-key = A chave deste presente
sheet-key-words = Quem lê esta chave pode levar o presente. Não a mostre a ninguém, e digite-a só na página que o código da capa abre, nesse dia ou depois.
sheet-opens-for = Abre o que está selado para { $address }
sheet-closing = Para fechar: dobre esta parte atrás da capa, depois a de baixo sobre ela; cole a borda.
sheet-how = Como abrir o seu presente
sheet-look = Veja
sheet-look-words = Escaneie o código da capa com o celular. A página mostra o que há dentro e quando se abre.
sheet-wait = Espere
sheet-wait-words = Guarde este pacote fechado e seguro, como dinheiro vivo. Ninguém pode repô-lo, nem quem o deu.
sheet-open = Abra
sheet-open-words = Nesse dia ou depois, desdobre o pacote e abra a página de novo. Escaneie a chave lá, ou digite-a.
sheet-keep = Guarde
sheet-keep-words = O presente fica então na carteira desta chave. Guarde a folha até passar tudo para uma carteira sua.
sheet-no-camera = Sem câmera:
sheet-safety = Quem ajuda você não precisa da chave. Não a fotografe, envie nem dite, a quem quer que peça.

## The gift record

record-title = Registro do presente
record-subtitle = Para os papéis de quem deu
record-value = Valor de mercado em { $day }, o dia da selagem
record-no-source = Sem fonte de preço
record-no-price = Não havia um preço confiável de { $symbols } para esse dia quando isto foi impresso. O valor precisa ser encontrado em outro lugar.
record-price-recorded = Preço registrado nesse dia
record-price-older = Preço mais recente na selagem, de outro dia
record-price-now = Preço na hora da impressão, do mesmo dia
record-price-now-older = Preço na hora da impressão, de outro dia
record-price = 1 { $symbol } = US$ { $price } (rodada { $round } da Chainlink, { $moment })
record-basis = { $how }: { $prices }.
record-given = Dado
record-sealed = Selado
record-opens = Abre
record-given-by = Dado por
record-giver = Conta de quem deu
record-given-to = Dado a
record-sealed-for = Selado para
record-network = Rede
record-network-words = { $network } (cadeia { $number })
record-number = Número do presente
record-contract = Contrato
record-transaction = Transação (código)
record-seen-at = Pode ser visto em
record-base-units = unidades básicas de { $token }
record-moment = { $day }, { $time } UTC
record-disclaimer = Este registro não é consultoria tributária nem uma avaliação. Ele diz o que está na cadeia pública e, onde havia uma fonte de preço, um valor calculado a partir dela. Como um presente é avaliado e declarado, por quem e quando, depende da lei que se aplica a você: consulte um profissional.
