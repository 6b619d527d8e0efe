## The legacy and its state

legacy = Um legado
legacy-opens-on = Pode ser reclamado a partir de { $moment }.
legacy-moves = Cada sinal de vida do titular adia este dia.
legacy-open-since = Pode ser reclamado desde { $moment }.
legacy-closes-again = Enquanto ninguém tiver reclamado, um sinal de vida do titular fecha-o de novo.
legacy-claimed-on = Foi reclamado nesta data: { $moment }.
legacy-rest = Todas as pessoas nomeadas nele ainda podem reclamar o que resta para elas.
legacy-handed-over = Desde então, a carteira compartilhada tem novos signatários.
legacy-ended = O titular encerrou este legado: não há nada a reclamar e nada a fazer.
legacy-no-day = Não indica nenhum dia que esta página possa mostrar.
legacy-second-line = As pessoas da segunda linha podem reclamar a partir de
legacy-third-line = As pessoas da terceira linha podem reclamar a partir de
legacy-details = Sobre este legado
legacy-purpose = Um legado é um plano para as pessoas de quem alguém gosta. Se o titular não der sinal de vida por muito tempo, as pessoas nomeadas no plano podem reclamar o que lhes foi deixado.
legacy-purpose-safe = Um legado é um plano para as pessoas de quem alguém gosta. Este é de uma carteira compartilhada, um Safe. Se a carteira não for usada por muito tempo, as pessoas nomeadas no plano podem assumi-la.
legacy-contract = Contrato
legacy-router = Criado por
legacy-public = Esta página mostra o que todos podem ler na rede. Ela não nomeia ninguém.

## No legacy is shown

no-legacy = Não há nenhum legado aqui
no-legacy-1 = Por favor, confira o link.
no-legacy-2 = Um legado criado neste minuto pode precisar de um momento.
legacy-not-now = Este legado não pode ser mostrado agora
legacy-not-now-1 = Nada se perdeu: ele está seguro onde está. Por favor, tente de novo em breve.
legacy-too-many = Por favor, espere um momento
legacy-too-many-1 = Muitos pedidos vieram da sua rede neste minuto.
legacy-too-many-2 = Nada se perdeu: por favor, recarregue esta página daqui a um minuto.
legacy-several = Vários legados têm este número
legacy-several-1 = Qual você procura? O endereço do contrato está nos e-mails que você recebeu sobre ele.

## Connecting a wallet

legacy-connect = É seu, ou o seu nome está nele?
legacy-connect-words = Conecte a sua carteira, e esta página olha na rede. Com isso, nada é assinado e nada é pago.
legacy-connect-wallet = Conectar { $wallet }
# The account follows in { $account }.
legacy-connected = Conectada: { $account }
legacy-other-wallet = Usar outra carteira
legacy-not-this-wallet = Esta não é a carteira certa
legacy-not-named = Esta carteira não está nomeada neste legado.
# { $ending } is the end of an address, as "…1a2b".
legacy-wallet-ends = Esta carteira não está nomeada neste legado. De acordo com o seu e-mail, a certa termina em { $ending }.
legacy-find-wallet = Escolha outra conta na sua carteira, ou use outra carteira. Nunca digite uma frase de recuperação em um site, nem neste.

## The owner

legacy-yours = Este legado é seu
legacy-yours-claimed = Ele já foi reclamado. Um sinal de vida não muda mais isso.
legacy-well-words = Você está bem? Diga isso, e só poderá ser reclamado a partir de { $moment }.
legacy-well-no-day = Você está bem? Diga isso. Esta página não pode indicar nenhum dia para este legado.
legacy-well = Estou bem
legacy-well-own = Estou bem, e pago a taxa da rede
legacy-well-free = Não custa nada para você: você assina, e a taxa da rede é paga por nós.
legacy-wallet-names = Ao assinar, a sua carteira mostra o contrato “{ $contract }” e não pede nenhum pagamento.
legacy-well-safe = Esta é uma carteira compartilhada: cada transação dela é um sinal de vida. Esta não envia nada, para a própria carteira.
legacy-needs-premium = A taxa da rede de um sinal de vida não é cobrada de titulares com Premium.
legacy-fee-is-yours = Você pode fazer isso com uma transação própria, pela taxa da rede.
# The day while it is not final.
legacy-new-day = O novo dia: { $moment }. Está se tornando definitivo.
legacy-moving-to = Pode ser reclamado a partir de { $moment }. Isto está se tornando definitivo.
legacy-well-under-way = O seu sinal de vida está a caminho
legacy-well-done = O seu sinal de vida chegou
legacy-day-final = O novo dia é: { $moment }. É definitivo.
legacy-well-final = O seu sinal de vida é definitivo.
legacy-papers = Para os seus documentos
legacy-papers-words = Um cartão para as pessoas que você nomeou e uma capa para a pasta de um advogado. Dizem onde está este legado e como se reclama. Nenhum dos dois tem o seu nome, nem o de outra pessoa.
legacy-papers-show = Mostrar as duas páginas
legacy-papers-way-out = Você também pode fazer uma captura da tela.

## A person who is named

legacy-named = O seu nome está neste legado
legacy-named-from = Com esta carteira, você pode reclamar a partir de { $moment }.
legacy-day-moves = Cada sinal de vida do titular muda este dia. Até lá, não há nada a fazer.
legacy-calendar-title = Um legado pode ser reclamado
legacy-what-words = Você já pode reclamar. Primeiro veja o que receberia: com isso, nada é assinado.
legacy-day-unknown = Esta página não conhece nenhum dia a partir do qual você possa reclamar. Você pode tentar agora.
legacy-what = O que eu receberia?
legacy-looking = Um momento: a reclamação é testada, sem ser feita…
legacy-would-get = Você receberia
legacy-after-fees = Isto chegaria à sua carteira, depois de todas as taxas, como as coisas estão agora.
legacy-has-more = Há mais neste legado que não pode ser reclamado agora, ou não junto com isto.
legacy-nothing = Reclamar não traria nada para você neste momento.
legacy-claim-free-words = Reclamar não custa nada para você: você assina, e a taxa da rede é paga por nós. Nunca pague a ninguém para poder reclamar.
legacy-claim-free = Reclamar de graça
legacy-claim-own = Reclamar e pagar eu a taxa da rede
legacy-no-free-claims = Neste legado, a taxa da rede não é paga para você.
legacy-take-over-words = Você já pode assumir a carteira compartilhada, junto com as outras pessoas nomeadas. Para isso precisa de uma transação própria, pela taxa da rede.
legacy-take-over = Assumir a carteira compartilhada
legacy-claim-under-way = A sua reclamação está a caminho
legacy-step-final = Definitivo
legacy-takeover-done = A carteira compartilhada tem novos signatários
legacy-taken-over = Você e as outras pessoas nomeadas já podem assinar por ela.
legacy-you-claimed = Você reclamou.
legacy-choose-again = Não esperar e escolher de novo

## A signer of a Safe

legacy-safe = Você é signatário de um Safe
# The account follows in { $account }.
legacy-safe-signer = Você assina pela carteira compartilhada { $account }, de que trata este legado.
legacy-safe-well = Cada transação deste Safe é um sinal de vida. Esta basta, e não move nada:
legacy-safe-check-in = Este legado é deste Safe. O seu sinal de vida é esta transação, que não move nada:
legacy-safe-claim = Este Safe está nomeado no legado. Ele pode reclamar com esta transação:
legacy-safe-from = Este Safe está nomeado no legado. Ele pode reclamar a partir de { $moment }.
legacy-safe-how = No Safe, escolha “New transaction”, depois “Transaction Builder”, ative “Custom data” e preencha estas três linhas. Os outros signatários concordam lá também.
legacy-safe-to = To address
legacy-safe-value = ETH value
legacy-safe-data = Data (hex)
legacy-safe-copy = Copiar as três linhas
legacy-safe-copied = As três linhas foram copiadas.
legacy-safe-not-copied = O seu navegador não permitiu isso. Copie as linhas daqui.

## Why something did not work

legacy-not-known = Este legado não é mais encontrado. Por favor, recarregue a página.
legacy-over = Este legado foi reclamado ou encerrado entretanto. Por favor, recarregue a página.
legacy-not-open = Ainda não está aberto: o titular continua ativo. Por favor, recarregue a página para ver o dia.
legacy-not-claimable = Não pode ser reclamado agora. Por favor, recarregue a página para ver por quê.

## Said otherwise than of a gift

wallet-unknown-network = { $wallet } ainda não conhece a rede deste legado. Adicione-a nas configurações de { $wallet }, entre as redes: { $network }, ID da cadeia { $number }, moeda ETH. Depois tente de novo.
wallet-other-network = Este legado está em uma rede diferente da rede da sua carteira. Escolha a rede { $network } em { $wallet } e tente de novo.
wallet-no-ether = Não há ETH suficiente na sua carteira para pagar a taxa da rede.
now-predecessor = Outro pedido seu vai primeiro. Este segue sozinho…
now-mined = A rede aceitou. Está se tornando definitivo, o que leva cerca de um quarto de hora…
why-fees = A rede está muito ocupada e as taxas estão altas agora. O seu pedido segue assim que elas baixarem.
why-balance = A carteira do próprio serviço, que paga a taxa da rede, precisa ser abastecida primeiro. Depois o seu pedido segue sozinho.
why-daily-cap = O orçamento de hoje para as taxas da rede não tem espaço agora. O seu pedido segue sozinho quando tiver.
why-chain = A rede não responde agora. O seu pedido segue sozinho quando ela responder.
why-paused = O pagamento das taxas da rede está em pausa no momento. O seu pedido segue sozinho depois disso.
meanwhile = Você pode deixar esta página aberta ou voltar mais tarde.
trouble-reverted = A rede recusou a transação. Nada foi movido.
trouble-refused = A rede recusou a transação. Nada foi movido.
trouble-expired = Não foi possível enviar a tempo, então nada aconteceu. Por favor, tente de novo.
trouble-superseded = Outra coisa foi enviada antes para esta carteira. Por favor, olhe de novo.
trouble-cancelled = Isto foi cancelado pela carteira à qual se destina. Nada foi movido.
trouble-unknown = Esta tentativa terminou, e nada foi movido. Por favor, olhe de novo.
no-fee-spent = O orçamento de hoje para pagar as taxas da rede acabou. Haverá um novo às { $time }.
no-fee-reserved = O orçamento de hoje para pagar as taxas da rede está reservado para os pedidos a caminho. Por favor, tente de novo em vinte minutos.
no-fee-here = Aqui as taxas da rede não são pagas para você.
no-fee-paused = O pagamento das taxas da rede está em pausa no momento.
no-fee-unknown = No momento, não é possível saber se a taxa da rede pode ser paga para você.
signer-paused = Uma transação desta carteira falhou na rede hoje: nenhuma outra taxa é paga para ela até amanhã. Você pode fazer isso com uma transação própria.
nonce-mismatch = Outro pedido desta carteira está a caminho, ou este já está. Por favor, espere um minuto e tente de novo.
already-used = Isto já foi enviado antes. Por favor, recarregue a página.
signer-mismatch = Esta assinatura não é da carteira certa. Nada aconteceu. Você pode fazer isso com uma transação própria.
would-fail = A rede recusaria isto agora, ou é preciso mais do que se paga aqui, por isso não foi enviado. Por favor, tente de novo mais tarde, ou com uma transação própria.
went-wrong = Algo deu errado nesta página. Nada aconteceu com o legado: por favor, recarregue a página e tente de novo.
