## Greetings, by occasion

greeting-gift = Um presente para você
greeting-birthday = Feliz aniversário
greeting-wedding = Parabéns pelo casamento
greeting-anniversary = Feliz aniversário de casamento
greeting-new-baby = Boas-vindas ao mundo
greeting-graduation = Parabéns pela formatura
greeting-bar-bat-mitzvah = Mazal tov
greeting-thank-you = Um grande obrigado
greeting-new-home = Parabéns pela casa nova
greeting-someday = Para você, um dia
greeting-valentine = Com todo o meu amor
greeting-new-year = Feliz Ano Novo
greeting-christmas = Feliz Natal
greeting-hanukkah = Feliz Chanucá
greeting-eid = Eid Mubarak
greeting-diwali = Feliz Diwali
greeting-easter = Feliz Páscoa
greeting-lunar-new-year = Feliz Ano Novo Lunar
greeting-to = { $greeting }, { $name }
card-subline = Um presente selado espera por você
card-opened = Este presente foi aberto

## The gift and its state

when-open = Este presente já pode ser aberto.
when-claimed = Este presente já foi aberto: chegou à pessoa a quem se destinava.
opened-on = Este presente foi aberto. Dia da abertura: { $moment }.
sealed-until = Este presente está selado até { $moment }.
inside = Conteúdo
digital-money = É dinheiro digital.
asset-paid-out = { $amount } (pago em ETH)
asset-without-name = tokens
asset-base-units = { $units } unidades base de { $symbol }
the-gift = O presente
advice-link = Quem tiver este link pode ver o presente. Só a carteira para a qual ele foi selado pode abri-lo.
advice-paper = Quem tiver a folha impressa pode abri-lo. Guarde a folha como dinheiro vivo: sem ela, o presente está perdido. Não diga a chave a ninguém: quem ajudar você não precisa saber qual é.
advice-email = Ele foi selado para o seu endereço de e-mail: quem ler os seus e-mails pode abri-lo, e mais ninguém. Para abri-lo, você receberá lá um código; não diga o código a ninguém.
check-wallet = Verifique desde já se você ainda tem esta carteira: ninguém pode repô-la, nem nós.
check-paper = Verifique desde já se você ainda tem a folha: ninguém pode repô-la, nem nós.
check-email = Verifique desde já se você ainda consegue abrir esta caixa de e-mail: ninguém pode repô-la, nem nós.
advice-email-moving = O que há nele chegará a uma carteira do seu endereço de e-mail, que o serviço de acesso Turnkey guarda para você. De lá, só se pode passar adiante em um aplicativo de quem administra { $site }; nenhum outro aplicativo de carteira abre essa carteira. Pergunte a eles onde antes de abrir o presente.
ask-us = Pergunte a nós: no fim desta página está como falar conosco.
claimed-paper = O que havia nele está na carteira à qual pertence a chave da sua folha: guarde a folha até passar tudo para uma carteira sua.
claimed-email = O que havia nele está na carteira do seu endereço de e-mail, que o serviço de acesso Turnkey guarda para você. Só quem lê os seus e-mails pode usar essa carteira, por isso proteja bem a sua caixa de e-mail. Esta página só abre presentes. Para passar o conteúdo adiante, com uma taxa da rede em ETH, você entra nessa carteira em um aplicativo de quem administra { $site }; nenhum outro aplicativo de carteira a abre. Pergunte a eles onde, e não diga a nenhuma pessoa um código dos seus e-mails.
claimed-paper-or-named = Se você indicou uma carteira ao abrir o presente, o que havia nele chegou a ela. Se não indicou nenhuma, está na carteira à qual pertence a chave da sua folha: guarde a folha até passar tudo para uma carteira sua.
claimed-email-or-named = Se você indicou uma carteira ao abrir o presente, o que havia nele chegou a ela. Se não indicou nenhuma, está na carteira do seu endereço de e-mail, que o serviço de acesso Turnkey guarda para você. Só quem lê os seus e-mails pode usar essa carteira, por isso proteja bem a sua caixa de e-mail. Esta página só abre presentes. Para passar o conteúdo adiante, com uma taxa da rede em ETH, você entra nessa carteira em um aplicativo de quem administra { $site }; nenhum outro aplicativo de carteira a abre. Pergunte a eles onde, e não diga a nenhuma pessoa um código dos seus e-mails.
seal-forward = Selar um para alguém
about-gift = Sobre este presente
fact-sealed = Selado
fact-opens = Abre
fact-opened = Aberto
fact-sealed-for = Selado para
fact-network = Rede
fact-gift = Presente
gift-number = número { $number } do contrato
letter-stays = A mensagem pessoal, se houver, está na parte deste link que vem depois do sinal #: ela fica no seu navegador e nunca é enviada para nós.

## No gift is shown

no-gift = Não há nenhum presente aqui
no-gift-1 = Por favor, confira o link.
no-gift-2 = Um presente que acabou de ser selado pode demorar um momento para aparecer.
cut-off = Este link não está inteiro
cut-off-1 = Uma parte dele se perdeu, talvez ao ser copiado. Nada mais se perdeu: o presente está seguro onde está.
cut-off-2 = Por favor, abra o link inteiro, como você o recebeu.
not-served = Este presente está em outra rede
not-served-1 = O link indica uma rede que esta página não conhece. Nada se perdeu: o presente está seguro onde está.
not-served-2 = Por favor, confira o link ou pergunte a quem deu o presente onde ele se abre.
not-shown = Não é possível mostrar este presente aqui
not-shown-1 = Há nele algo que esta página não conhece, ou não conhece mais. Nada se perdeu: o presente está seguro onde está.
not-shown-2 = Por favor, pergunte a quem deu o presente como abri-lo.
not-now = Não é possível mostrar o presente agora
not-now-1 = Nada se perdeu: ele está seguro onde está. Por favor, tente de novo em breve.
too-many = Por favor, espere um momento
too-many-1 = Muitas pessoas pediram para ver presentes a partir da sua rede neste minuto.
too-many-2 = Nada se perdeu: por favor, recarregue esta página daqui a um minuto.
none-for = Nenhum presente foi encontrado para esta folha
none-for-1 = Se você digitou o link, compare-o com a sua folha, por favor: uma letra ou um número pode estar diferente.
none-for-2 = Um presente que acabou de ser selado pode demorar um momento para aparecer: por favor, tente de novo daqui a pouco.
not-shown-for = Não foi encontrado nenhum presente que possa ser mostrado aqui
not-shown-for-1 = Há algo selado para esta folha que esta página não conhece, ou não conhece mais. Nada se perdeu: está seguro onde está.
not-shown-for-2 = Se você ainda não abriu o seu presente, pergunte a quem lhe deu a folha como abri-lo, por favor.
not-shown-for-3 = Se você já o abriu, este é outro, talvez de alguém desconhecido. Se você não indicou então outra carteira, o que havia no seu está na carteira à qual pertence a chave da sua folha: guarde a folha até passar tudo para uma carteira sua.
mistyped = Este link tem um erro
mistyped-1 = Uma letra ou um número do endereço está diferente do que está impresso, ou está faltando. Nada se perdeu.
mistyped-2 = Por favor, compare-o com a sua folha, a partir do 0x, ou escaneie o código da capa da folha.
rewritten = Este link foi alterado no caminho
rewritten-1 = Um programa de e-mail ou um filtro mudou os sinais dele. Nada se perdeu: o presente está seguro onde está.
rewritten-2 = Na barra de endereços, troque %23 de volta por # e %3F por ?. Ou abra o link como você o recebeu, em outro programa de e-mail ou navegador.

## The letter, the calendar and sharing

letter-label = Mensagem pessoal
letter-from = De { $name }
letter-unchecked = Os nomes e a mensagem são de quem criou este link. Ninguém os verificou.
letter-ask = Você conhece { $name }? Telefone, para um número que você já tem, e pergunte se este presente vem mesmo de lá.
letter-damaged = A mensagem não chegou inteira
letter-damaged-1 = Parte do link se perdeu no caminho, por isso não é possível ler a mensagem pessoal. O presente está seguro e pode ser aberto mesmo assim. Peça a quem enviou o link que o mande inteiro mais uma vez.
calendar-add = Pôr o dia na sua agenda
calendar-title = Um presente para você se abre
out-cannot-print = Este navegador não consegue imprimir: nenhuma janela de impressão se abriu. Os navegadores dos aplicativos de carteira em geral não conseguem.
out-saved = O arquivo deve estar agora entre os seus downloads. Não está lá? Então este navegador não consegue salvar arquivos. Os navegadores dos aplicativos de carteira em geral não conseguem.
out-share = Compartilhar
out-not-shared = Não foi compartilhado.
out-elsewhere = Abra esta página em outro navegador, como Safari ou Chrome. O endereço dela:
out-copy = Copiar o endereço
out-copied = O endereço foi copiado.
out-not-copied = O seu navegador não permitiu. Copie o endereço daqui.
calendar-way-out = Você também pode anotar o dia: ele está escrito nesta página.
opens-in = Abre em { $days }, { $hours } e { $minutes }.
day-has-come = Chegou o dia. Um momento…
share = Compartilhar ou ocultar a mensagem
share-words = Quem tiver o link pode ver este presente; o link sozinho não o abre. A mensagem pessoal faz parte do link na sua barra de endereços. Tire-a de lá antes de compartilhar esta página ou mostrá-la a outras pessoas. Quando a página for recarregada, a mensagem não estará mais lá: guarde antes o link inteiro para você.
share-copy-whole = Copiar o link inteiro
share-copied-whole = O link inteiro foi copiado.
share-copy-bare = Copiar o link sem a mensagem
share-copied-bare = O link sem a mensagem foi copiado.
share-take-out = Tirar a mensagem
share-taken-out = A mensagem saiu da barra de endereços. O link que está lá agora pode ser compartilhado sem ela.
share-not-allowed = O seu navegador não permitiu. Copie o link da barra de endereços.

## The ways to open it

try-again = Tentar de novo
one-moment = Um momento…
looking-for-way = Procurando um jeito de abri-lo…
open-your-gift = Abra o seu presente
costs-nothing = Não custa nada para você: não é preciso pagar a taxa da rede.
way-paper = Com a chave da minha folha impressa
way-email = Com um código enviado ao meu e-mail
way-wallet = Com a minha própria carteira
no-codes = Não é possível enviar códigos no momento. Por favor, tente de novo mais tarde.
stays-where = Nada se perdeu: o seu presente continua onde está.
stays-self-paid = Nada se perdeu: o seu presente continua onde está. Até lá, só uma carteira que pague ela mesma a taxa pode abri-lo.
look-again = Olhar de novo
wallet-signs = A sua carteira está assinando…
open-my-gift = Abrir o meu presente

## With the printed key

paper-words = Desdobre a sua folha: a chave está no painel branco. Ela fica neste aparelho e nunca é enviada a ninguém; assina aqui e é esquecida na hora.
paper-legend = A chave, como está impressa: 16 grupos de 4
paper-group = Grupo { $number } de { $groups }
paper-typed-wrong = Esta não é a chave deste presente. Por favor, compare cada grupo com a sua folha: uma letra ou um número está diferente.
paper-scanned-wrong = Esta não é a chave deste presente. Será a folha de outro presente?
paper-no-key = Esse código não é a chave. Escaneie o do painel branco, que fica dentro da folha dobrada.
paper-bad-letter = O grupo { $number } tem uma letra que nenhuma chave tem: só valem de 0 a 9 e de a até f.
paper-too-short = O grupo { $number } precisa de 4 caracteres.
camera-scan-key = Escanear com a câmera
camera-picture = Imagem da câmera
camera-hold = Ponha o código quadrado do painel branco diante da câmera.
camera-stop = Desligar a câmera
camera-unusable-key = Não é possível usar a câmera aqui. Por favor, digite a chave.
camera-or-type = ou digite a chave

## With the email address

email-words = Este presente foi selado para um endereço de e-mail. Digite o endereço, e o serviço de acesso enviará um código para lá: nem um nem outro chega até nós.
email-label = O seu endereço de e-mail
email-send-code = Enviar um código
email-none = Isto não é um endereço de e-mail. Por favor, confira.
code-words = Um código está a caminho de { $email }. Digite-o aqui e não o diga a ninguém.
code-words-reloaded = Um código está a caminho do seu endereço. Digite-o aqui e não o diga a ninguém.
code-label = O código do e-mail
code-none = Por favor, digite o código do e-mail.
code-another = Enviar outro código
code-another-reloaded = Pedir outro código
email-another = Usar outro endereço
code-wrong = Esse código não está certo ou não vale mais. Use o e-mail mais recente ou peça outro código.
email-wrong = Este endereço não abre este presente. Talvez ele tenha sido selado para outro endereço seu.
code-too-many = Houve tentativas demais. Por favor, espere alguns minutos e peça outro código.
provider-away = O serviço de acesso não responde agora. Nada se perdeu: por favor, tente de novo em breve.

## With a wallet

wallet-sealed-for = Este presente foi selado para a conta { $account }. A sua carteira pede que você concorde; nunca se pede uma chave a ela.
wallet-self-paid-works = Pagar a taxa por sua conta sempre funciona.
wallet-none = Nenhuma carteira foi encontrada neste navegador. No celular, abra este link no navegador do seu aplicativo de carteira; no computador, use o navegador que tem a sua carteira.
wallet-lost = Uma carteira nova não ajuda: só { $account } o abre. Se você a perdeu, procure a frase de recuperação dela e não a diga a ninguém. Se não conhece esta carteira, pergunte a quem lhe deu o presente.
wallet-apps = Você tem um aplicativo de carteira neste celular? Abra esta página nele:
wallet-apps-letter = A mensagem pessoal fica aqui e não vai junto, porque os fabricantes desses aplicativos poderiam lê-la. Para vê-la lá também, copie o link inteiro mais abaixo e cole-o no navegador do aplicativo.
wallet-keep-weth = Receber wrapped ether (WETH) em vez de ETH
wallet-keep-token = Receber { $symbol } em vez de ETH
wallet-keep-tokens = Receber os próprios tokens em vez de ETH
wallet-busy = Uma carteira ainda espera a sua resposta. Responda nela, ou recarregue esta página para escolher outra.
wallet-asks = { $wallet } está perguntando a você agora. Se você não vê a janela, abra-a.
wallet-pay-fee = Pagar a taxa por minha conta
wallet-pay-fee-with = Pagar a taxa por minha conta com { $wallet }
wallet-open-free = Abrir de graça com { $wallet }
wallet-of-browser = A carteira deste navegador
wallet-no-account = { $wallet } não usa nenhuma conta, mas este presente foi selado para { $recipient }. Escolha essa conta na sua carteira e tente de novo.
wallet-other-account = { $wallet } usa a conta { $account }, mas este presente foi selado para { $recipient }. Escolha essa conta na sua carteira e tente de novo.
wallet-names-none = { $wallet } não indica nenhuma conta. Por favor, digite o endereço.
wallet-choose-network = Escolha a rede { $network } em { $wallet } e tente de novo.
wallet-unknown-network = { $wallet } ainda não conhece a rede deste presente. Adicione-a nas configurações de { $wallet }, entre as redes: { $network }, ID da cadeia { $number }, moeda ETH. Depois tente de novo.
wallet-other-network = Este presente está em uma rede diferente da rede da sua carteira. Escolha a rede { $network } em { $wallet } e tente de novo.
wallet-wrong-recipient = Este presente foi selado para outra conta. Escolha essa conta na sua carteira e tente de novo.
wallet-empty-gift = Não resta mais nada neste presente.
wallet-declined = Você recusou em { $wallet }. Nada aconteceu.
wallet-pending = { $wallet } já está perguntando algo a você. Responda lá primeiro.
wallet-no-ether = Não há ETH suficiente na sua carteira para pagar a taxa da rede. A opção sem taxa funciona, onde é oferecida.
wallet-failed = { $wallet } não conseguiu fazer isso. Nada aconteceu: por favor, tente de novo.
wallet-look = Por favor, olhe na sua carteira
wallet-silent = Está a caminho, mas ninguém responde agora. A pergunta está sendo repetida…
wallet-still = Está a caminho, até onde esta página sabe. Se você cancelou na sua carteira, pode começar de novo; nada pode ser aberto duas vezes.
wallet-was-asked = A sua carteira recebeu um pedido antes de esta página ser recarregada. Se você concordou lá, o seu presente está a caminho; se não, comece de novo. Nada pode ser aberto duas vezes.
start-again = Começar de novo

## Where it lands

destination = Onde ele deve chegar?
destination-own = Em uma carteira sua
destination-own-words = Ele chega lá na hora, e você não paga taxa.
destination-none = Não tem carteira? Escolha abaixo “{ $keep }”.
destination-label = O endereço da sua carteira
destination-look = Conferir o endereço
destination-scan = Escanear o código com a câmera
destination-no-camera = Não é possível usar a câmera aqui. Por favor, digite o endereço.
destination-use-wallet = Usar { $wallet }
destination-gift-wallet = Na carteira do presente
destination-kept-paper = Ele fica com a chave da sua folha. Para movê-lo depois, por uma taxa da rede, peça ajuda a alguém de total confiança: a chave vai então uma única vez para o seu próprio aplicativo de carteira, e para nenhum outro lugar.
destination-kept-email = Ele fica na carteira do seu endereço de e-mail. Para movê-lo depois, você entra nela em um aplicativo de quem administra { $site } e paga uma taxa da rede; nenhum outro aplicativo de carteira a abre.
destination-keep = Deixar na carteira do presente
destination-confirm = Esta carteira é sua?
destination-compare = Compare cada letra com o endereço que o seu aplicativo de carteira mostra. Alguns programas trocam um endereço enquanto ele é copiado.
destination-unchecked = Este endereço não tem letras de controle: um erro nele não seria notado.
destination-final = O que chega a uma carteira errada não pode ser recuperado.
destination-yes = Sim, enviar para lá
destination-another = Usar outra
destination-no-address = Este não é o endereço de uma carteira. Ele começa com 0x, seguido de 40 letras e números.
destination-other-network = Este código é para outra rede. Por favor, use um endereço da rede deste presente.
destination-mistake = Uma letra ou um número deste endereço está errado. Por favor, copie-o mais uma vez.
destination-nobody = Ninguém tem a chave deste endereço: o que for enviado para lá se perde.
destination-contract = Este é o endereço de um contrato, não de uma carteira: o que for enviado para lá se perde.
destination-bare-contract = Neste endereço há um programa que não diz ser uma carteira. Se ninguém puder usá-lo como carteira, o que for enviado para lá se perde para sempre.
destination-same = Esta é a própria carteira do presente. Para deixar o presente nela, escolha isso abaixo.

## On its way

on-its-way = O seu presente está a caminho
step-signed = Assinado neste aparelho
step-handed = Entregue à rede
step-confirmed = Confirmado pela rede
sending-signature = A sua assinatura está sendo enviada…
looking-where = Procurando onde está o seu presente…
service-silent = O serviço não responde agora; a pergunta está sendo repetida…
now-arrived = A sua assinatura chegou. Ela está sendo enviada à rede…
now-predecessor = Outro presente seu vai primeiro. Este segue sozinho…
now-sending = Está sendo enviado à rede…
now-broadcast = Está a caminho. A rede costuma levar menos de um minuto…
now-mined = O seu presente chegou! A rede está tornando isso definitivo…
now-failed = A rede recusou a transação. Isso está se tornando definitivo, o que leva cerca de um quarto de hora. Depois você pode tentar de novo.
why-fees = A rede está muito ocupada e as taxas estão altas agora. O seu presente segue assim que elas baixarem.
why-balance = A carteira do próprio serviço, que paga a taxa da rede, precisa ser abastecida primeiro. Depois o seu presente segue sozinho.
why-daily-cap = O orçamento de hoje para as taxas da rede não tem espaço agora. O seu presente segue sozinho quando tiver.
why-chain = A rede não responde agora. O seu presente segue sozinho quando ela responder.
why-earlier = Outros são enviados à rede antes do seu. Ele segue sozinho depois.
why-paused = O pagamento das taxas da rede está em pausa no momento. O seu presente segue sozinho depois disso.
why-would-fail = A rede recusaria isso agora. A tentativa será repetida sozinha.
meanwhile = Você pode deixar esta página aberta ou voltar mais tarde. Depois de uma hora, pediremos que o abra mais uma vez.
choose-another-way = Escolher outra opção
see-transaction = Ver a transação { $hash }
transaction = transação { $hash }
not-yet = Ainda não funcionou
see-what-works = Ver o que funciona agora
nothing-sent = Nada foi enviado: o presente continua lá.
trouble-reverted = A rede recusou a transação. Nada foi movido: o presente continua lá.
trouble-refused = A rede recusou a transação. O presente continua lá.
trouble-expired = Não foi possível enviar a tempo, então nada foi movido. O presente continua lá: por favor, tente de novo.
trouble-superseded = Outra coisa foi enviada antes para esta carteira. O presente talvez ainda esteja lá: por favor, olhe de novo.
trouble-cancelled = Isto foi cancelado pela carteira à qual se destina. O presente continua lá.
trouble-unknown = Terminou sem o seu presente: por favor, olhe de novo.

## Received

you-opened = Você abriu este presente.
it-is-yours = Ele é seu
arrived-at = Chegou a { $account }: { $gift }.
was-paid-out = Foi pago: { $gift }.
received-paper = Ele está agora na carteira à qual pertence a chave da sua folha: guarde bem a folha. Para passar o presente adiante, peça ajuda a alguém de total confiança: a chave vai então uma única vez para o seu próprio aplicativo de carteira, e para nenhum outro lugar.
received-email = Ele está agora na carteira do seu endereço de e-mail, que o serviço de acesso Turnkey guarda para você. Quem puder ler os seus e-mails pode usar essa carteira, por isso proteja bem a sua caixa de e-mail. Esta página só abre presentes. Para passar o presente adiante, você entra nessa carteira em um aplicativo de quem administra { $site }; nenhum outro aplicativo de carteira a abre. Pergunte a eles onde, e nunca diga a ninguém um código dos seus e-mails.
received-wallet = Ele já está na sua carteira.
received-own = Ele está na carteira que você indicou. Você não precisa mais da carteira do presente.
received-either = Por favor, olhe na carteira que você indicou e na carteira do presente: ele está em uma delas.
fee-from-gift = Movê-lo depois custa uma pequena taxa da rede, que é paga com o ETH que chegou.
fee-needs-ether = Abri-lo foi grátis. Só movê-lo depois custa uma pequena taxa da rede em ETH. Não pague a ninguém que escreva para você sobre isso: pergunte a alguém da sua família.

## Why something did not work

no-fee-spent = O orçamento de hoje para pagar as taxas da rede dos presentes acabou. Haverá um novo às { $time }.
no-fee-reserved = O orçamento de hoje para pagar as taxas da rede dos presentes está reservado para os que estão a caminho. Por favor, tente de novo em vinte minutos.
no-fee-here = Aqui as taxas da rede não são pagas em nome de quem recebe.
no-fee-paused = O pagamento das taxas da rede em nome de quem recebe está em pausa no momento. Por favor, tente de novo mais tarde.
no-fee-unknown = No momento, não é possível saber se a taxa da rede pode ser paga em seu nome. Por favor, tente de novo em alguns minutos.
locked = Pelo relógio da rede, o presente ainda está fechado. Por favor, tente de novo em um minuto.
already-opened = Este presente já foi aberto.
too-late = Demorou demais até isto ser enviado. Nada aconteceu: por favor, tente de novo.
signer-paused = Uma retirada desta carteira falhou na rede hoje: nenhuma outra taxa é paga para ela até amanhã.
nonce-mismatch = Outro presente desta carteira está a caminho, ou este já está. Por favor, espere um minuto e tente de novo.
already-used = Isto já foi enviado antes. Por favor, tente de novo: a página então procura onde está o presente.
signer-mismatch = A assinatura não foi reconhecida como a da carteira para a qual este presente foi selado. Nada aconteceu. Com uma carteira inteligente, você pode pagar a taxa por sua conta.
gift-not-found = O presente não é mais encontrado. Por favor, recarregue a página.
chain-unavailable = Não é possível conectar à rede no momento. Nada se perdeu: por favor, tente de novo em alguns minutos.
would-fail = A rede recusaria isto agora, ou é preciso mais do que se paga aqui, por isso não foi enviado. Por favor, tente de novo mais tarde. Com uma carteira inteligente, você pode pagar a taxa por sua conta.
problem-request = O serviço não conseguiu usar o que esta página enviou. Nada aconteceu: por favor, recarregue a página e tente de novo.
problem-service = O serviço está com uma falha no momento. Nada se perdeu: por favor, tente de novo em alguns minutos.
problem-destination = O presente não pode ser enviado para esse endereço. Nada aconteceu: por favor, tente de novo com outra carteira sua.
problem-no-destination = Este presente só pode chegar à carteira do presente. Nada aconteceu: por favor, recarregue a página e abra-o mais uma vez.
problem-not-opened-here = Esta página não pode abrir o que há neste presente. Nada se perdeu: por favor, pergunte a quem deu o presente como abri-lo.
problem-unknown = O serviço recusou isto por um motivo que esta página não conhece: { $code }. Por favor, recarregue a página e tente de novo. Se acontecer outra vez, diga esta palavra a quem ajuda você.
too-often = Houve tentativas demais. Por favor, espere { $wait } e tente de novo.
service-away = O serviço não responde. Você tem conexão com a internet? Nada se perdeu: por favor, tente de novo em breve.
went-wrong = Algo deu errado nesta página. Nada aconteceu com o presente: por favor, recarregue a página e tente de novo.
