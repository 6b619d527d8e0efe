## The legacy and its state

legacy = Un legs
legacy-opens-on = Il peut être réclamé à partir du { $moment }.
legacy-moves = Chaque signe de vie de son propriétaire repousse ce jour.
legacy-open-since = Il peut être réclamé depuis le { $moment }.
legacy-closes-again = Tant que personne n’a réclamé, un signe de vie de son propriétaire le referme.
legacy-claimed-on = Il a été réclamé le { $moment }.
legacy-rest = Toutes les personnes qui y sont nommées peuvent encore réclamer ce qui reste pour elles.
legacy-handed-over = Depuis, le portefeuille partagé a de nouveaux signataires.
legacy-ended = Son propriétaire a mis fin à ce legs : il n’y a rien à réclamer, et rien à faire.
legacy-no-day = Il n’indique aucun jour que cette page puisse montrer.
legacy-second-line = Le deuxième rang peut réclamer à partir du
legacy-third-line = Le troisième rang peut réclamer à partir du
legacy-details = À propos de ce legs
legacy-purpose = Un legs est un plan pour les personnes auxquelles quelqu’un tient. Si son propriétaire ne donne aucun signe de vie pendant longtemps, les personnes nommées dans le plan peuvent réclamer ce qui leur a été laissé.
legacy-purpose-safe = Un legs est un plan pour les personnes auxquelles quelqu’un tient. Celui-ci est celui d’un portefeuille partagé, un Safe. Si le portefeuille n’est pas utilisé pendant longtemps, les personnes nommées dans le plan peuvent le reprendre.
legacy-contract = Contrat
legacy-router = Créé par
legacy-public = Cette page montre ce que tout le monde peut lire sur le réseau. Elle ne nomme personne.

## No legacy is shown

no-legacy = Il n’y a pas de legs ici
no-legacy-1 = Veuillez vérifier le lien.
no-legacy-2 = Un legs créé à la minute peut demander un instant.
legacy-not-now = Ce legs ne peut pas être montré pour le moment
legacy-not-now-1 = Rien n’est perdu : il est en sécurité là où il est. Veuillez réessayer bientôt.
legacy-too-many = Veuillez patienter un moment
legacy-too-many-1 = De très nombreuses demandes sont venues de votre réseau pendant cette minute.
legacy-too-many-2 = Rien n’est perdu : veuillez recharger cette page dans une minute.
legacy-several = Plusieurs legs ont ce numéro
legacy-several-1 = Lequel cherchez-vous ? L’adresse de son contrat se trouve dans les e-mails que vous avez reçus à son sujet.

## Connecting a wallet

legacy-connect = Est-il à vous, ou y êtes-vous nommé ?
legacy-connect-words = Connectez votre portefeuille, et cette page regarde sur le réseau. Rien n’est signé par là, et rien n’est payé.
legacy-connect-wallet = Connecter { $wallet }
# The account follows in { $account }.
legacy-connected = Connecté : { $account }
legacy-other-wallet = Utiliser un autre portefeuille
legacy-not-this-wallet = Ce n’est pas le bon portefeuille
legacy-not-named = Ce portefeuille n’est pas nommé dans ce legs.
# { $ending } is the end of an address, as "…1a2b".
legacy-wallet-ends = Ce portefeuille n’est pas nommé dans ce legs. D’après votre e-mail, le bon se termine par { $ending }.
legacy-find-wallet = Choisissez un autre compte dans votre portefeuille, ou utilisez un autre portefeuille. Ne saisissez jamais une phrase de récupération sur un site web, pas non plus sur celui-ci.

## The owner

legacy-yours = Ce legs est à vous
legacy-yours-claimed = Il a été réclamé. Un signe de vie n’y change plus rien.
legacy-well-words = Allez-vous bien ? Dites-le, et il ne pourra être réclamé qu’à partir du { $moment }.
legacy-well-no-day = Allez-vous bien ? Dites-le. Cette page ne peut indiquer aucun jour pour ce legs.
legacy-well = Je vais bien
legacy-well-own = Je vais bien, et je paie les frais de réseau
legacy-well-free = Cela ne vous coûte rien : vous signez, et les frais de réseau sont payés pour vous.
legacy-wallet-names = Au moment de signer, votre portefeuille affiche le contrat « { $contract } » et ne demande aucun paiement.
legacy-well-safe = C’est un portefeuille partagé : chacune de ses transactions est un signe de vie. Celle-ci n’envoie rien, au portefeuille lui-même.
legacy-needs-premium = Les frais de réseau d’un signe de vie sont pris en charge pour les propriétaires qui ont Premium.
legacy-fee-is-yours = Vous pouvez le faire par votre propre transaction, pour les frais de réseau.
# The day while it is not final.
legacy-new-day = Le nouveau jour : { $moment }. Il devient définitif.
legacy-moving-to = Il peut être réclamé à partir du { $moment }. Cela devient définitif.
legacy-well-under-way = Votre signe de vie est en route
legacy-well-done = Votre signe de vie est arrivé
legacy-day-final = Le nouveau jour est le { $moment }. Il est définitif.
legacy-well-final = Votre signe de vie est définitif.
legacy-papers = Pour vos dossiers
legacy-papers-words = Une carte pour les personnes que vous avez nommées, et une page de garde pour le dossier d’un notaire ou d’un avocat. Elles disent où se trouve ce legs et comment il se réclame. Aucune des deux ne vous nomme, ni personne d’autre.
legacy-papers-show = Afficher les deux pages
legacy-papers-way-out = Vous pouvez aussi faire une capture d’écran.

## A person who is named

legacy-named = Vous êtes nommé dans ce legs
legacy-named-from = Vous pouvez réclamer avec ce portefeuille à partir du { $moment }.
legacy-day-moves = Chaque signe de vie du propriétaire déplace ce jour. Il n’y a rien à faire d’ici là.
legacy-calendar-title = Un legs peut être réclamé
legacy-what-words = Vous pouvez réclamer maintenant. Regardez d’abord ce que vous recevriez : rien n’est signé par là.
legacy-day-unknown = Cette page ne connaît aucun jour à partir duquel vous pouvez réclamer. Vous pouvez essayer maintenant.
legacy-what = Que recevrais-je ?
legacy-looking = Un instant : la réclamation est essayée, sans être faite…
legacy-would-get = Vous recevriez
legacy-after-fees = Voilà ce qui arriverait dans votre portefeuille, après tous les frais, au moment présent.
legacy-has-more = Ce legs contient encore autre chose, qui ne peut pas être réclamé maintenant, ou pas avec ceci.
legacy-nothing = Réclamer ne vous apporterait rien pour le moment.
legacy-claim-free-words = Réclamer ne vous coûte rien : vous signez, et les frais de réseau sont payés pour vous. Ne payez jamais personne pour avoir le droit de réclamer.
legacy-claim-free = Réclamer sans frais
legacy-claim-own = Réclamer et payer moi-même les frais de réseau
legacy-no-free-claims = Pour ce legs, les frais de réseau ne sont pas payés pour vous.
legacy-take-over-words = Vous pouvez reprendre le portefeuille partagé maintenant, avec les autres personnes nommées. Il vous faut pour cela votre propre transaction, pour les frais de réseau.
legacy-take-over = Reprendre le portefeuille partagé
legacy-claim-under-way = Votre réclamation est en route
legacy-step-final = Définitif
legacy-takeover-done = Le portefeuille partagé a de nouveaux signataires
legacy-taken-over = Vous et les autres personnes nommées pouvez maintenant signer pour lui.
legacy-you-claimed = Vous avez réclamé.
legacy-choose-again = Ne pas attendre et choisir de nouveau

## A signer of a Safe

legacy-safe = Vous êtes signataire d’un Safe
# The account follows in { $account }.
legacy-safe-signer = Vous signez pour le portefeuille partagé { $account }, dont il s’agit dans ce legs.
legacy-safe-well = Chaque transaction de ce Safe est un signe de vie. Celle-ci suffit, et elle ne déplace rien :
legacy-safe-check-in = Ce legs est à ce Safe. Son signe de vie est cette transaction, qui ne déplace rien :
legacy-safe-claim = Ce Safe est nommé dans le legs. Il peut réclamer par cette transaction :
legacy-safe-from = Ce Safe est nommé dans le legs. Il peut réclamer à partir du { $moment }.
legacy-safe-how = Dans Safe, choisissez « New transaction », puis « Transaction Builder », activez « Custom data » et remplissez ces trois lignes. Les autres signataires y donnent aussi leur accord.
legacy-safe-to = To address
legacy-safe-value = ETH value
legacy-safe-data = Data (hex)
legacy-safe-copy = Copier les trois lignes
legacy-safe-copied = Les trois lignes sont copiées.
legacy-safe-not-copied = Votre navigateur ne l’a pas permis. Copiez les lignes d’ici.

## Why something did not work

legacy-not-known = Ce legs n’est plus trouvé. Veuillez recharger la page.
legacy-over = Ce legs a été réclamé ou terminé entre-temps. Veuillez recharger la page.
legacy-not-open = Il n’est pas encore ouvert : son propriétaire est toujours actif. Veuillez recharger la page pour voir le jour.
legacy-not-claimable = Il ne peut pas être réclamé maintenant. Veuillez recharger la page pour voir pourquoi.

## Said otherwise than of a gift

wallet-unknown-network = { $wallet } ne connaît pas encore le réseau de ce legs. Ajoutez-le dans les réglages de { $wallet }, parmi les réseaux : { $network }, identifiant de chaîne { $number }, monnaie ETH. Puis réessayez.
wallet-other-network = Ce legs est sur un autre réseau que votre portefeuille. Choisissez le réseau { $network } dans { $wallet }, puis réessayez.
wallet-no-ether = Il n’y a pas assez d’ETH dans votre portefeuille pour payer les frais de réseau.
now-predecessor = Une autre de vos demandes passe d’abord. Celle-ci suit d’elle-même…
now-mined = Le réseau l’a acceptée. Elle devient définitive, ce qui prend environ un quart d’heure…
why-fees = Le réseau est très occupé et ses frais sont élevés pour le moment. Votre demande continue dès qu’ils baissent.
why-balance = Le portefeuille du service, qui paie les frais de réseau, doit d’abord être rempli. Votre demande continuera ensuite d’elle-même.
why-daily-cap = Le budget du jour pour les frais de réseau est épuisé pour le moment. Votre demande continuera d’elle-même dès qu’il y aura de la place.
why-chain = Le réseau ne répond pas pour le moment. Votre demande continuera d’elle-même dès qu’il répondra.
why-paused = Le paiement des frais de réseau est suspendu pour le moment. Votre demande continuera d’elle-même ensuite.
meanwhile = Vous pouvez laisser cette page ouverte, ou revenir plus tard.
trouble-reverted = Le réseau a refusé la transaction. Rien n’a bougé.
trouble-refused = Le réseau a refusé la transaction. Rien n’a bougé.
trouble-expired = L’envoi n’a pas pu se faire à temps, donc rien ne s’est passé. Veuillez réessayer.
trouble-superseded = Autre chose a été envoyé d’abord pour ce portefeuille. Veuillez regarder de nouveau.
trouble-cancelled = Le portefeuille auquel c’est destiné a annulé l’envoi. Rien n’a bougé.
trouble-unknown = Cet essai est terminé, et rien n’a bougé. Veuillez regarder de nouveau.
no-fee-spent = Le budget du jour pour payer les frais de réseau est épuisé. Il y en aura un nouveau à { $time }.
no-fee-reserved = Le budget du jour pour payer les frais de réseau est réservé aux demandes en route. Veuillez réessayer dans vingt minutes.
no-fee-here = Les frais de réseau ne sont pas payés ici pour vous.
no-fee-paused = Le paiement des frais de réseau est suspendu pour le moment.
no-fee-unknown = On ne peut pas savoir pour le moment si les frais de réseau peuvent être payés pour vous.
signer-paused = Une transaction de ce portefeuille a échoué aujourd’hui sur le réseau : on ne paie plus de frais pour lui jusqu’à demain. Vous pouvez le faire par votre propre transaction.
nonce-mismatch = Une autre demande de ce portefeuille est en route, ou celle-ci l’est déjà. Veuillez attendre une minute, puis réessayez.
already-used = Cela a déjà été envoyé. Veuillez recharger la page.
signer-mismatch = Cette signature ne vient pas du bon portefeuille. Rien ne s’est passé. Vous pouvez le faire par votre propre transaction.
would-fail = Le réseau refuserait cela pour le moment, ou cela coûte plus que ce qui est payé ici : rien n’a donc été envoyé. Veuillez réessayer plus tard, ou par votre propre transaction.
went-wrong = Quelque chose n’a pas marché sur cette page. Rien n’est arrivé au legs : veuillez recharger la page et réessayer.
