## Occasions, with messages a giver may start from: greetings of the language, not word by word

occasion-gift = Um presente
gift-1 = Uma lembrancinha, selada para você até o dia em que se abrir.
gift-2 = Guardei isto para você. Abra quando chegar o dia e lembre-se de mim.
gift-3 = Para você, com carinho.
occasion-birthday = Aniversário
birthday-1 = Feliz aniversário! Este presente pede um pouco de paciência, mas é seu.
birthday-2 = Mais um ano com você: o melhor motivo para festejar. Feliz aniversário!
birthday-3 = Que este novo ano de vida seja bom para você. Feliz aniversário, com carinho!
occasion-wedding = Casamento
wedding-1 = A vocês dois, e a tudo o que vão construir juntos.
wedding-2 = Desejo a vocês uma vida cheia de pequenas alegrias.
wedding-3 = Com carinho para vocês dois, hoje e em todos os anos que virão.
occasion-anniversary = Aniversário de casamento
anniversary-1 = Pelos anos vividos e pelos muitos que virão. Feliz aniversário de casamento!
anniversary-2 = A história de vocês continua sendo a minha preferida. Feliz aniversário de casamento!
anniversary-3 = Por nós, com todo o meu amor.
occasion-new-baby = Nascimento
new-baby-1 = Boas-vindas ao mundo! Isto vai esperar por você até você crescer.
new-baby-2 = Hoje cabe no colo, amanhã ganha o mundo: um presente para os anos que virão.
new-baby-3 = Que alegria ter você aqui!
occasion-graduation = Formatura
graduation-1 = Você conseguiu! Que orgulho de você!
graduation-2 = Um começo, para o que você escolher começar agora.
graduation-3 = Por todo o esforço que ninguém viu: parabéns!
occasion-bar-bat-mitzvah = Bar ou Bat Mitzvá
bar-bat-mitzvah-1 = Mazal tov! Que orgulho de você hoje!
bar-bat-mitzvah-2 = Um dia para lembrar, e algo para os anos que vêm depois.
bar-bat-mitzvah-3 = Com carinho, no seu grande dia. Que você cresça sempre com força e alegria.
occasion-thank-you = Agradecimento
thank-you-1 = Meu muito obrigado, por mais do que cabe em um cartão.
thank-you-2 = Você estava lá quando mais importava. Meu muito obrigado.
thank-you-3 = Um pequeno obrigado por uma grande gentileza.
occasion-new-home = Casa nova
new-home-1 = Que esta casa esteja sempre cheia de boa companhia.
new-home-2 = Porta nova, chave nova, vida nova. Parabéns pela casa nova!
new-home-3 = Para a casa, ou para o que ela acabar precisando.
occasion-someday = Um dia
someday-1 = Nenhum dia especial, só você. Este presente cresce até você abrir.
someday-2 = Para o dia em que você precisar, ou o dia em que quiser.
someday-3 = Pensei em você hoje. Um dia você vai ler isto.
occasion-valentine = Dia dos Namorados
valentine-1 = Para você, hoje e todos os dias.
valentine-2 = Meu coração já era seu muito antes deste presente.
valentine-3 = Todo o meu amor, sempre.
occasion-new-year = Ano Novo
new-year-1 = Saúde, sorte e boa companhia no novo ano!
new-year-2 = A tudo o que começa. Feliz Ano Novo!
new-year-3 = Que o novo ano seja gentil com você.
occasion-christmas = Natal
christmas-1 = Feliz Natal! Este presente fica mais um pouco debaixo da árvore.
christmas-2 = Paz, aconchego e boa companhia neste Natal.
christmas-3 = Com carinho, no Natal e durante o ano todo.
occasion-hanukkah = Chanucá
hanukkah-1 = Feliz Chanucá! Que o seu lar se encha de luz.
hanukkah-2 = Oito noites de luz, e um presente que espera o seu dia.
hanukkah-3 = Para você e sua família, um Chanucá feliz e cheio de luz.
occasion-eid = Eid
eid-1 = Eid Mubarak! Que este dia traga alegria e paz para você.
eid-2 = Votos de felicidade para você e sua família neste Eid.
eid-3 = Eid Mubarak, com carinho e os melhores votos.
occasion-diwali = Diwali
diwali-1 = Feliz Diwali! Que o seu ano seja cheio de luz.
diwali-2 = Luz, doçura e boa sorte para você e sua família.
diwali-3 = Desejo a você um Diwali feliz e cheio de luz.
occasion-easter = Páscoa
easter-1 = Feliz Páscoa! Há coisas que vale a pena procurar.
easter-2 = Alegria, renovação e uma pequena surpresa para você.
easter-3 = Uma feliz Páscoa para você e sua família.
occasion-lunar-new-year = Ano Novo Lunar
lunar-new-year-1 = Feliz Ano Novo Lunar! Que a sorte encontre você.
lunar-new-year-2 = Saúde, prosperidade e felicidade no novo ano.
lunar-new-year-3 = Para o novo ano: algo vermelho, algo que dá sorte, algo que cresce.

## The giver's wallet

seal-a-gift = Selar um presente
your-wallet = A sua carteira
giver-no-wallet = Nenhuma carteira foi encontrada ainda. No celular, abra esta página no navegador do seu aplicativo de carteira; no computador, use o navegador que tem a sua carteira.
giver-connect = Conectar { $wallet }
giver-account = { $wallet }: { $account } em { $network }
giver-connect-first = Por favor, conecte primeiro uma carteira.
giver-connect-above = Por favor, conecte primeiro a sua carteira: ela está no alto desta página.
giver-no-chain = Nenhuma rede está disponível aqui.
giver-declined = A carteira recusou. Nada foi enviado.
giver-refused = A rede recusa isto. Há o suficiente na sua carteira?
giver-too-little = Não há o suficiente na sua carteira.
giver-failed = Não funcionou. Por favor, tente de novo.
giver-was-asked = A sua carteira tinha um pedido para selar um presente quando esta página foi recarregada. Por favor, olhe lá primeiro: o que foi enviado está selado, e a folha impressa vale. Selado de novo, seria um segundo presente.

## The form

form-gift = O presente
form-occasion = Ocasião
form-language = Idioma do presente
form-to = Para (um nome)
form-from = De (o seu nome)
form-note = A sua mensagem
form-room = { $used } de no máximo { $most } caracteres
form-inside = O que há dentro
form-asset = Dar
form-amount = Quanto
form-opens = Abre em
form-chain-clock = Pelo relógio da rede, que agora marca: { $moment }.
form-how = Como a pessoa abre
form-paper = Com uma chave impressa: você imprime uma folha e a entrega
form-wallet = Com uma carteira que a pessoa tem: você sabe o endereço
form-email = Com o e-mail da pessoa: um código é enviado para lá na hora de abrir
form-wallet-address = O endereço da carteira da pessoa
form-email-address = O endereço de e-mail da pessoa
form-continue = Continuar
letter-long-name = Um nome pode ter no máximo { $most } caracteres.
letter-long-note = A mensagem pode ter no máximo { $most } caracteres.
letter-hidden = Um nome ou a mensagem tem um caractere de controle ou invisível.
letter-address = Um nome parece um endereço de site ou de e-mail. Por favor, escreva-o de outro jeito.
letter-marks = Um nome tem sinais demais sobre uma mesma letra.
letter-too-long = Os nomes e a mensagem são longos demais para um link.
form-no-day = Por favor, escolha quando o presente se abre.
form-future = Um presente se abre no futuro.
form-too-far = Um presente se abre em até { $years } anos. Por favor, confira o ano: ninguém pode mudá-lo depois.
form-two-readings = “{ $typed }” pode ser lido de duas maneiras. Por favor, escreva { $thousands } se quer dizer milhares, ou { $small } se não.
form-whole-amount = Por favor, diga quanto, em { $symbol }: um número inteiro, como 2.
form-bad-amount = Por favor, diga quanto, em { $symbol }: como { $example }, com no máximo { $decimals } casas decimais e sem separador de milhares.
form-no-amount = Por favor, diga quanto.
form-no-address = Esse não é o endereço de uma carteira.
form-no-email = Esse não é um endereço de e-mail.

## The review

review = Por favor, leia isto mais uma vez
review-gift = O presente
review-amount = { $gift }, em { $network }
review-for = Para
review-for-paper = Quem tiver a folha impressa. Por favor, guarde-a como guardaria dinheiro vivo.
review-for-email = Quem lê a caixa de e-mail { $email }. Se ela ainda não tem carteira, uma é criada.
review-for-wallet = A carteira { $address }. Só ela pode abrir o presente.
review-opens = Abre
review-lands = Onde ele chega
review-lands-own = Ao abrir, a pessoa diz onde ele deve chegar: em uma carteira própria, ou na carteira do seu endereço de e-mail.
review-lands-email = Na carteira do endereço de e-mail da pessoa, que o serviço de acesso Turnkey guarda. De lá, só se pode passar adiante em um aplicativo de quem administra { $site }; nenhum outro aplicativo de carteira abre essa carteira. Pergunte a eles onde, e diga isso a quem recebe o presente.
review-moment = { $moment }, no seu fuso horário
review-fee = Taxa da rede
review-fee-words = Você a paga em ETH. A sua carteira mostra quanto é antes de você concordar.
review-final = Depois de selado, nada disto pode ser mudado. Ninguém pode pegar o presente de volta, e ninguém pode abri-lo antes: nem você, nem nós.
review-seal = Selar o presente
review-change = Mudar algo
sheet-first = Primeiro, imprima a folha da chave
sheet-first-words = A chave só existe nesta página, até você sair dela. Sem a folha, ninguém jamais poderá abrir o presente.
sheet-printed = Está impressa, e consigo ler a chave nela.
sheet-not-printed = Por favor, imprima primeiro a folha e confirme isso acima.
sheet-throw-away = Se você imprimiu essa folha, jogue-a fora: nada está selado para a chave dela.

## Sealing

sealing-sign-recipient = Por favor, assine na sua carteira para quem é. Encontrar ou criar a carteira da pessoa pode levar depois mais de um minuto.
sealing-confirm = Por favor, confirme a transação { $number } de { $all } na sua carteira.
sealing-on-its-way = A transação { $number } de { $all } está a caminho.
sealing-too-late = Enquanto isso, o dia dele chegou. Por favor, escolha um momento mais tarde.
sealing-refused = A rede recusou isto. Nada foi selado.
sealed = O presente { $number } está selado. Dia da abertura: { $moment }.
sealed-not-kept = Este navegador não guarda nada: salve o link agora.
seal-another = Selar outro presente

## Afterwards

kept-gift = Presente { $number }
kept-title = Presentes selados aqui
kept-some = Este navegador lembra os links dos presentes que você selou nele. Ninguém mais lembra.
kept-none = Este navegador vai lembrar os links dos presentes que você selar nele. Ninguém mais vai lembrar.
kept-item-for = { $occasion } para { $name }, presente { $number }
kept-item = { $occasion }, presente { $number }
kept-show = Mostrar
kept-show-item = Mostrar { $item }
kept-forget = Esquecer
kept-forget-item = Esquecer { $item }
kept-forget-sure = Esquecer de vez: o link não pode ser criado de novo
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
link-words = O link do presente. Quem o tiver lê a sua mensagem; só a pessoa a quem se destina pode abrir o presente.
link-copy = Copiar o link
link-copied = Copiado.
link-not-allowed = O seu navegador não permitiu. Copie o link daqui.
page-sheet = Folha da chave
page-card = Cartão do presente
page-record = Comprovante do presente
page-as-printed = { $page }, como será impresso
page-print = Imprimir
page-save = Salvar como PNG
page-not-saved = Não foi possível salvar. Nada foi salvo: por favor, imprima.
page-withheld = Este navegador não deixa a página usar a imagem, para evitar rastreamento. Nada foi salvo: por favor, imprima.
page-not-drawn = { $page }: não é possível mostrar agora. Mostre o presente de novo abaixo.
page-does-not-fit = { $page }: { $why }
record-needs-wallet = Conecte a sua carteira para ter também o comprovante do presente.
fonts-missing = Não foi possível carregar as fontes. Por favor, tente de novo.

## Telling the recipient by email

notify = Avisar por e-mail, se quiser
notify-email = O endereço de e-mail da pessoa
notify-when = Quando
notify-now = Agora, e no dia em que se abre
notify-scheduled = Em um dia que eu escolher, e no dia em que se abre
notify-opening = Só no dia em que se abre
notify-day = Avisar em
notify-privacy = O endereço e o link ficam guardados com criptografia até o presente ser aberto, e não são enviados a mais ninguém.
notify-go = Pedir o aviso
notify-no-email = Por favor, informe o endereço de e-mail da pessoa.
notify-no-day = Por favor, escolha o dia e a hora.
notify-bad-day = Por favor, escolha um momento a partir de agora e antes da abertura do presente: { $moment }.
notify-done = A pessoa será avisada.
notify-done-on = A pessoa será avisada duas vezes: { $moment }, e no dia em que se abre.

## The printed pages

print-for = para { $name }
print-from = de { $name }
print-opens = Abre em { $day }
print-scan = Escaneie para ver o seu presente
print-scan-opens = Escaneie para ver o seu presente. Ele abre em { $day }.
print-note-too-long = A mensagem tem linhas demais para o cartão, em que cabem { $most }.
print-code-too-long = A mensagem é longa demais para o código impresso.
print-letter-too-long = Os nomes e a mensagem são longos demais para o código da folha, em que cabem { $room } bytes (uma letra simples ocupa um; outras, de dois a quatro).
sheet-key = A chave deste presente
sheet-key-words = Quem ler esta chave pode pegar o presente. Não a mostre a ninguém, e só a digite na página que o código da capa abre, no dia ou mais tarde.
sheet-opens-for = Abre o que está selado para { $address }
sheet-closing = Para fechar: dobre este painel para trás da capa e o de baixo por cima dele; sele a borda.
sheet-how = Como abrir o seu presente
sheet-look = Ver
sheet-look-words = Escaneie o código da capa com o celular. A página mostra o que há dentro e quando ele se abre.
sheet-wait = Esperar
sheet-wait-words = Guarde este envelope fechado e seguro, como dinheiro vivo. Ninguém pode repô-lo, nem mesmo quem o deu.
sheet-open = Abrir
sheet-open-words = No dia ou mais tarde, desdobre o envelope e abra a página de novo. Escaneie lá a chave ou digite-a.
sheet-keep = Guardar
sheet-keep-words = O presente fica então na carteira desta chave. Guarde a folha até passá-lo para uma carteira sua.
sheet-no-camera = Sem câmera, acesse
sheet-safety = Quem ajudar você não precisa da chave. Não a fotografe, envie nem dite, peça quem pedir.

## The gift record

record-title = Comprovante do presente
record-subtitle = Para os documentos de quem deu o presente
record-value = Valor de mercado em { $day }, o dia em que foi selado
record-no-source = Sem fonte de preços
record-no-price = Não havia um preço confiável de { $symbols } para esse dia quando isto foi impresso. O valor precisa ser obtido em outro lugar.
record-price-recorded = Preço registrado para esse dia
record-price-older = Preço mais recente quando foi selado, de outro dia
record-price-now = Preço no momento da impressão, do mesmo dia
record-price-now-older = Preço no momento da impressão, de outro dia
record-price = 1 { $symbol } = US$ { $price } (Chainlink, rodada { $round }, { $moment })
record-basis = { $how }: { $prices }.
record-given = Dado
record-sealed = Selado
record-opens = Abre
record-given-by = Dado por
record-giver = Conta de quem deu
record-given-to = Dado a
record-sealed-for = Selado para
record-network = Rede
record-network-words = { $network } (id da rede { $number })
record-number = Número do presente
record-contract = Contrato
record-transaction = Transação (código)
record-seen-at = Pode ser visto em
record-base-units = unidades base de { $token }
record-moment = { $day }, { $time } UTC
record-disclaimer = Este comprovante não é orientação tributária nem avaliação. Ele informa o que está na rede pública e, onde havia uma fonte de preços, um valor calculado a partir dela. Como um presente é avaliado e declarado, por quem e quando, depende da lei que se aplica a você: consulte um profissional.
