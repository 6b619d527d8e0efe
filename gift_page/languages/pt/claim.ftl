## Greetings, by occasion

greeting-gift = Um presente para você
greeting-birthday = Feliz aniversário
greeting-wedding = Parabéns pelo casamento
greeting-anniversary = Felizes bodas
greeting-new-baby = Boas-vindas ao mundo
greeting-graduation = Parabéns pela formatura
greeting-bar-bat-mitzvah = Mazal tov
greeting-thank-you = Obrigado
greeting-new-home = Feliz casa nova
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

## The gift and its state

when-open = Este presente já pode ser aberto.
when-claimed = Este presente foi aberto e já está com quem o recebeu.
opened-on = Este presente foi aberto em { $moment }.
sealed-until = Este presente está selado até { $moment }.
inside = Conteúdo
asset-paid-out = { $amount } (pago em ETH)
asset-without-name = tokens
asset-base-units = { $units } unidades básicas de { $symbol }
the-gift = O presente
advice-link = Quem tem este link pode ver o presente. Só a carteira para a qual ele foi selado pode recebê-lo.
advice-paper = A chave está impressa na folha que veio com ele. Guarde bem a folha e não conte a chave a ninguém: quem ajuda você não precisa conhecê-la.
advice-email = Ele foi selado para o seu endereço de e-mail. Para abri-lo, você recebe lá um código; não conte o código a ninguém.
claimed-paper = O que havia nele está na carteira da chave da sua folha: guarde a folha até passar tudo para uma carteira sua.
claimed-email = O que havia nele está na carteira do seu e-mail, que o provedor de acesso Turnkey guarda para você. Só quem lê os seus e-mails pode usar essa carteira, por isso mantenha a sua caixa segura. Esta página só abre presentes. Para mover o conteúdo, por uma taxa de rede em ETH, entra-se nessa carteira em outro lugar: pergunte onde a quem deu o presente, e nunca conte a ninguém um código dos seus e-mails.
seal-forward = Selar um para alguém
about-gift = Sobre este presente
fact-sealed = Selado
fact-opens = Abre
fact-opened = Aberto
fact-sealed-for = Selado para
fact-network = Rede
fact-gift = Presente
gift-number = número { $number } de
letter-stays = Se houver uma mensagem pessoal, ela está na parte deste link depois do sinal #: fica no seu navegador e nunca é enviada a nós.

## No gift is shown

no-gift = Não há nenhum presente aqui
no-gift-1 = Por favor, confira o link.
no-gift-2 = Um presente selado há um minuto pode levar um momento para aparecer.
cut-off = Este link está incompleto
cut-off-1 = Uma parte se perdeu, talvez ao copiar. Nada mais se perdeu: o presente está seguro onde está.
cut-off-2 = Por favor, abra o link completo, como você o recebeu.
not-served = Este presente está em outra rede
not-served-1 = O link cita uma rede que esta página não conhece. Nada se perdeu: o presente está seguro onde está.
not-served-2 = Por favor, confira o link ou pergunte a quem o deu onde ele se abre.
not-shown = Este presente não pode ser mostrado aqui
not-shown-1 = Ele contém algo que esta página não conhece, ou não conhece mais. Nada se perdeu: o presente está seguro onde está.
not-shown-2 = Por favor, pergunte a quem o deu como abri-lo.
not-now = O presente não pode ser mostrado agora
not-now-1 = Nada se perdeu: ele está seguro onde está. Tente novamente em breve.
too-many = Espere um momento, por favor
too-many-1 = Muitas pessoas pediram presentes a partir da sua rede neste minuto.
too-many-2 = Nada se perdeu: carregue esta página de novo daqui a um minuto.
none-for = Nenhum presente foi encontrado para esta folha
none-for-1 = Se você digitou o link, compare com a sua folha: uma letra ou um número pode estar diferente.
none-for-2 = Um presente selado há um minuto pode levar um momento: tente novamente daqui a pouco.
not-shown-for = Nenhum presente que possa ser mostrado aqui foi encontrado
not-shown-for-1 = Para esta folha há algo selado que esta página não conhece, ou não conhece mais. Nada se perdeu: está seguro onde está.
not-shown-for-2 = Se você ainda não abriu o seu presente, pergunte a quem deu a folha como abri-lo.
not-shown-for-3 = Se já o abriu, este é outro, talvez de um desconhecido. O que havia no seu está na carteira da chave da sua folha: guarde a folha até passar tudo para uma carteira sua.
mistyped = Este link tem um erro
mistyped-1 = Uma letra ou um número do endereço difere do que está impresso, ou falta. Nada se perdeu.
mistyped-2 = Por favor, compare com a sua folha, a partir do 0x, ou escaneie o código da capa da folha.
rewritten = Este link foi alterado no caminho
rewritten-1 = Um programa de e-mail ou um filtro alterou os sinais dele. Nada se perdeu: o presente está seguro onde está.
rewritten-2 = Na barra de endereços, troque %23 por # e %3F por ?. Ou abra o link como você o recebeu, em outro programa de e-mail ou navegador.

## The letter, the calendar and sharing

letter-label = Mensagem pessoal
letter-from = De { $name }
letter-damaged = A mensagem não chegou inteira
letter-damaged-1 = Uma parte do link se perdeu no caminho, e a mensagem pessoal não pode ser lida. O presente está seguro e pode ser aberto mesmo assim. Peça a quem o enviou que mande de novo o link completo.
calendar-add = Adicionar o dia ao seu calendário
calendar-title = Abre um presente para você
opens-in = Abre em { $days }, { $hours } e { $minutes }.
day-has-come = O dia chegou. Um momento…
share = Compartilhar ou esconder a mensagem
share-words = Quem tem o link pode ver este presente; só o destinatário pode abri-lo. A mensagem pessoal faz parte do link na barra de endereços. Tire-a de lá antes de compartilhar ou mostrar esta página: ao recarregar ela terá sumido, por isso guarde antes o link completo para você.
share-copy-whole = Copiar o link completo
share-copied-whole = O link completo foi copiado.
share-copy-bare = Copiar o link sem ela
share-copied-bare = O link sem a mensagem foi copiado.
share-take-out = Tirar a mensagem
share-taken-out = A mensagem não está mais na barra de endereços. O link que está lá agora pode ser compartilhado sem ela.
share-not-allowed = O seu navegador não permitiu. Copie o link da barra de endereços.

## The ways to open it

try-again = Tentar de novo
one-moment = Um momento…
looking-for-way = Procurando um jeito de abrir…
open-your-gift = Abra o seu presente
costs-nothing = Não custa nada a você: a taxa de rede está paga.
way-paper = Com a chave da minha folha impressa
way-email = Com um código enviado ao meu e-mail
way-wallet = Com a minha própria carteira
no-codes = Não é possível enviar códigos agora. Tente mais tarde.
stays-where = Nada se perdeu: o seu presente continua onde está.
stays-self-paid = Nada se perdeu: o seu presente continua onde está. Até lá, só uma carteira que pague ela mesma a taxa pode abri-lo.
look-again = Olhar de novo
wallet-signs = A sua carteira está assinando…
open-my-gift = Abrir o meu presente

## With the printed key

paper-words = Abra a folha dobrada: a chave está na parte branca. Ela fica neste aparelho e nunca é enviada a ninguém; assina aqui e é esquecida na hora.
paper-legend = A chave, como está impressa: 16 grupos de 4
paper-group = Grupo { $number } de { $groups }
paper-typed-wrong = Esta não é a chave deste presente. Compare cada grupo com a sua folha: há uma letra ou um número diferente.
paper-scanned-wrong = Esta não é a chave deste presente. É a folha de outro presente?
paper-no-key = Esse código não é a chave. Escaneie o da parte branca, dentro da folha dobrada.
paper-bad-letter = O grupo { $number } tem uma letra que nenhuma chave tem: só de 0 a 9 e de a a f.
paper-too-short = O grupo { $number } precisa de 4 caracteres.
camera-scan-key = Escanear com a câmera
camera-picture = Imagem da câmera
camera-hold = Segure o código quadrado da parte branca diante da câmera.
camera-stop = Parar a câmera
camera-unusable-key = A câmera não pode ser usada aqui. Digite a chave, por favor.
camera-or-type = ou digite

## With the email address

email-words = Este presente foi selado para um endereço de e-mail. Digite-o, e o provedor de acesso envia um código para lá: nenhum dos dois chega a nós.
email-label = O seu endereço de e-mail
email-send-code = Enviar um código para mim
email-none = Isto não é um endereço de e-mail. Confira, por favor.
code-words = Um código está a caminho de { $email }. Digite-o aqui e não o conte a ninguém.
code-words-reloaded = Um código está a caminho do seu endereço. Digite-o aqui e não o conte a ninguém.
code-label = O código do e-mail
code-none = Digite o código do e-mail, por favor.
code-another = Enviar outro código
code-another-reloaded = Pedir outro código
email-another = Usar outro endereço
code-wrong = Esse código não confere ou não vale mais. Use o e-mail mais recente ou peça outro código.
email-wrong = Este endereço não abre este presente. Talvez ele tenha sido selado para outro endereço seu.
code-too-many = Foram tentativas demais. Espere alguns minutos e peça outro código.
provider-away = O provedor de acesso não responde agora. Nada se perdeu: tente novamente em breve.

## With a wallet

wallet-sealed-for = Este presente foi selado para a conta { $account }. A sua carteira pede que você concorde; nunca se pede uma chave a ela.
wallet-self-paid-works = Pagar você mesmo a taxa sempre funciona.
wallet-none = Nenhuma carteira foi encontrada neste navegador. No celular, abra este link no navegador do seu app de carteira; no computador, use o navegador que tem a sua carteira.
wallet-keep-weth = Receber ether embrulhado (WETH) em vez de ETH
wallet-keep-token = Receber { $symbol } em vez de ETH
wallet-keep-tokens = Receber os próprios tokens em vez de ETH
wallet-busy = Uma carteira ainda está perguntando. Responda lá, ou recarregue esta página para escolher outra.
wallet-asks = { $wallet } pergunta agora. Se você não vir a janela, abra-a.
wallet-pay-fee = Eu mesmo pago a taxa
wallet-pay-fee-with = Eu mesmo pago a taxa com { $wallet }
wallet-open-free = Abrir de graça com { $wallet }
wallet-of-browser = A carteira deste navegador
wallet-no-account = { $wallet } não usa nenhuma conta, mas este presente foi selado para { $recipient }. Escolha essa conta na sua carteira e tente de novo.
wallet-other-account = { $wallet } usa a conta { $account }, mas este presente foi selado para { $recipient }. Escolha essa conta na sua carteira e tente de novo.
wallet-names-none = { $wallet } não informa nenhuma conta. Digite o endereço, por favor.
wallet-choose-network = Escolha a rede { $network } em { $wallet } e tente de novo.
wallet-unknown-network = { $wallet } não conhece a rede deste presente, { $network }. Adicione-a lá primeiro.
wallet-other-network = Este presente está em outra rede que a sua carteira. Escolha a rede { $network } em { $wallet } e tente de novo.
wallet-wrong-recipient = Este presente foi selado para outra conta. Escolha essa conta na sua carteira e tente de novo.
wallet-empty-gift = Não resta nada neste presente.
wallet-declined = Você recusou em { $wallet }. Nada aconteceu.
wallet-pending = { $wallet } já está perguntando algo. Responda lá primeiro.
wallet-no-ether = Não há ETH suficiente na sua carteira para pagar a taxa de rede. O jeito sem taxa funciona, onde é oferecido.
wallet-failed = { $wallet } não conseguiu. Nada aconteceu: tente de novo.
wallet-look = Olhe na sua carteira, por favor
wallet-silent = Está a caminho, mas ninguém responde agora. A pergunta é repetida…
wallet-still = Está a caminho, até onde esta página sabe. Se você parou na carteira, pode começar de novo; nada se abre duas vezes.
wallet-was-asked = A sua carteira foi consultada antes de esta página ser recarregada. Se você concordou lá, o presente está a caminho; se não, comece de novo. Nada se abre duas vezes.
start-again = Começar de novo

## Where it lands

destination = Onde ele deve chegar?
destination-own = Em uma carteira sua
destination-own-words = Chega lá na hora, e você não paga taxa.
destination-label = O endereço da sua carteira
destination-look = Conferir mais uma vez
destination-scan = Escanear o código com a câmera
destination-no-camera = A câmera não pode ser usada aqui. Digite o endereço, por favor.
destination-use-wallet = Usar { $wallet }
destination-gift-wallet = Na carteira do presente
destination-kept-paper = Fica com a chave da sua folha. Para mover depois, você importa a chave em um app de carteira e paga uma taxa de rede.
destination-kept-email = Fica na carteira do seu e-mail. Para mover depois, você entra lá e paga uma taxa de rede.
destination-keep = Deixar na carteira do presente
destination-confirm = Esta é a sua carteira?
destination-compare = Compare cada letra com o endereço que o seu app de carteira mostra. Alguns programas trocam um endereço ao copiá-lo.
destination-unchecked = Este endereço não tem letras de verificação: um erro nele não seria notado.
destination-final = O que chega a uma carteira errada não pode ser recuperado.
destination-yes = Sim, envie para lá
destination-another = Usar outra
destination-no-address = Isto não é o endereço de uma carteira. Começa com 0x e seguem 40 letras e algarismos.
destination-other-network = Este código é de outra rede. Use um endereço da rede deste presente.
destination-mistake = Uma letra ou um algarismo deste endereço está errado. Copie-o de novo da sua carteira.
destination-nobody = Ninguém tem a chave deste endereço: o que é enviado para lá se perde.
destination-contract = Este é o endereço de um contrato, não de uma carteira: o que é enviado para lá se perde.
destination-same = Esta é a própria carteira do presente. Para deixá-lo nela, escolha isso abaixo.

## On its way

on-its-way = O seu presente está a caminho
step-signed = Assinado neste aparelho
step-handed = Entregue à rede
step-confirmed = Confirmado pela rede
sending-signature = A sua assinatura está sendo enviada…
looking-where = Olhando onde está o seu presente…
service-silent = O serviço não responde agora; a pergunta é repetida…
now-arrived = A sua assinatura chegou. Está sendo enviada à rede…
now-predecessor = Outro presente seu vai antes. Este segue sozinho…
now-sending = Está sendo enviado à rede…
now-broadcast = Está a caminho. A rede costuma levar menos de um minuto…
now-mined = O seu presente chegou! A rede está tornando isso definitivo…
now-failed = A rede recusou a transação. Isso se torna definitivo em cerca de quinze minutos. Depois você pode tentar de novo.
why-fees = A rede está muito ocupada e as taxas estão altas agora. O seu presente segue assim que caírem.
why-balance = A carteira do serviço, que paga a taxa de rede, precisa ser abastecida antes. Depois o seu presente segue sozinho.
why-daily-cap = O orçamento de hoje para taxas de rede não tem espaço agora. O seu presente segue sozinho quando tiver.
why-chain = A rede não responde agora. O seu presente segue sozinho quando ela responder.
why-earlier = Outros são enviados à rede antes do seu. Ele segue sozinho.
why-paused = O pagamento das taxas de rede está em pausa no momento. Depois o seu presente segue sozinho.
why-would-fail = A rede recusaria isto agora. A tentativa é repetida sozinha.
meanwhile = Você pode deixar esta página aberta ou voltar mais tarde. Depois de uma hora, pede-se que você o abra mais uma vez.
choose-another-way = Escolher outro jeito
see-transaction = Ver a transação { $hash }
transaction = transação { $hash }
not-yet = Ainda não funcionou
see-what-works = Ver o que funciona agora
nothing-sent = Nada foi enviado: o presente continua lá.
trouble-reverted = A rede recusou a transação. Nada foi movido: o presente continua lá.
trouble-refused = A rede recusou a transação. O presente continua lá.
trouble-expired = Não foi possível enviar a tempo, e nada foi movido. O presente continua lá: tente de novo.
trouble-superseded = Outra coisa foi enviada antes para esta carteira. O presente talvez ainda esteja lá: olhe de novo.
trouble-cancelled = Foi cancelado pela carteira à qual se destina. O presente continua lá.
trouble-unknown = Esta tentativa terminou, e o presente não foi movido: olhe de novo.

## Received

you-opened = Você abriu este presente.
it-is-yours = É seu
arrived-at = { $gift } chegou a { $account }.
was-paid-out = { $gift } foi pago.
received-paper = Agora está na carteira da chave da sua folha. Guarde bem a folha: você precisa da chave para passar o presente para uma carteira sua, importando-a em um app de carteira quando quiser.
received-email = Agora está na carteira do seu e-mail, que o provedor de acesso Turnkey guarda para você. Quem puder ler os seus e-mails pode usar essa carteira, por isso mantenha a sua caixa segura. Esta página só abre presentes. Para mover o conteúdo, entra-se nessa carteira em outro lugar: pergunte onde a quem deu o presente, e nunca conte a ninguém um código dos seus e-mails.
received-wallet = Já está na sua carteira.
received-own = Está na carteira que você indicou. Você não precisa mais da carteira do presente.
received-either = Olhe na carteira que você indicou e na carteira do presente: está em uma delas.
fee-from-gift = Mover depois custa uma pequena taxa de rede, paga com o ETH que chegou.
fee-needs-ether = Mover depois custa uma pequena taxa de rede, por isso essa carteira precisa antes de um pouco de ETH.

## Why something did not work

no-fee-spent = O orçamento de hoje para as taxas de rede dos presentes acabou. Há um novo às { $time }.
no-fee-reserved = O orçamento de hoje para as taxas de rede está reservado pelos presentes a caminho. Tente de novo em vinte minutos.
no-fee-here = As taxas de rede dos destinatários não são pagas aqui.
no-fee-paused = O pagamento das taxas de rede está em pausa no momento. Tente mais tarde.
no-fee-unknown = Não se sabe agora se a taxa de rede pode ser paga por você. Tente de novo em alguns minutos.
locked = O presente ainda está bloqueado pelo relógio da rede. Tente de novo em um minuto.
already-opened = Este presente já foi aberto.
too-late = Demorou demais para ser enviado. Nada aconteceu: tente de novo.
signer-paused = Uma retirada desta carteira falhou hoje na rede: até amanhã não se pagam mais taxas por ela.
nonce-mismatch = Outro presente desta carteira está a caminho, ou este já está. Espere um minuto e tente de novo.
already-used = Isto já foi enviado antes. Tente de novo: a página então olha onde está o presente.
signer-mismatch = Esta assinatura não é da carteira para a qual o presente foi selado. Nada aconteceu. Com uma carteira inteligente, você mesmo pode pagar a taxa.
gift-not-found = O presente não é mais encontrado. Recarregue a página, por favor.
chain-unavailable = A rede não pode ser alcançada agora. Nada se perdeu: tente de novo em alguns minutos.
would-fail = A rede recusaria isto agora, ou precisa de mais do que se paga aqui, por isso não foi enviado. Tente mais tarde. Com uma carteira inteligente, você mesmo pode pagar a taxa.
too-often = Foram tentativas demais. Espere { $wait } e tente de novo.
service-away = O serviço não responde. Você tem conexão com a internet? Nada se perdeu: tente novamente em breve.
went-wrong = Algo nesta página deu errado. Nada aconteceu com o presente: recarregue a página e tente de novo.
