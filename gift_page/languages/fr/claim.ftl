## Greetings, by occasion

greeting-gift = Un cadeau pour toi
greeting-birthday = Joyeux anniversaire
greeting-wedding = Meilleurs vœux de bonheur
greeting-anniversary = Joyeux anniversaire de mariage
greeting-new-baby = Bienvenue au monde
greeting-graduation = Bravo pour le diplôme
greeting-bar-bat-mitzvah = Mazel tov
greeting-thank-you = Merci
greeting-new-home = Bienvenue à la maison
greeting-someday = Pour toi, un jour
greeting-valentine = Avec tout mon amour
greeting-new-year = Bonne année
greeting-christmas = Joyeux Noël
greeting-hanukkah = Joyeuse fête de Hanouka
greeting-eid = Aïd Moubarak
greeting-diwali = Joyeux Diwali
greeting-easter = Joyeuses Pâques
greeting-lunar-new-year = Joyeux Nouvel An lunaire
greeting-to = { $greeting }, { $name }
card-subline = Un cadeau scellé attend son jour
card-opened = Ce cadeau a été ouvert

## The gift and its state

when-open = Ce cadeau peut être ouvert maintenant.
when-claimed = Ce cadeau a été ouvert : son destinataire l’a reçu.
opened-on = Ce cadeau a été ouvert le { $moment }.
sealed-until = Ce cadeau est scellé jusqu’au { $moment }.
inside = À l’intérieur
digital-money = C’est de l’argent numérique.
asset-paid-out = { $amount } (versé en ETH)
asset-without-name = jetons
asset-base-units = { $units } unités de base de { $symbol }
the-gift = Le cadeau
advice-link = Toute personne qui a ce lien peut voir le cadeau. Seul le portefeuille pour lequel il a été scellé peut l’ouvrir.
advice-paper = Toute personne qui a la feuille imprimée peut l’ouvrir. Gardez cette feuille comme de l’argent liquide : sans elle, le cadeau est perdu. Ne dites la clé à personne : ceux qui vous aident n’ont pas besoin de la connaître.
advice-email = Il a été scellé pour votre adresse e-mail : toute personne qui lit vos e-mails peut l’ouvrir, et personne d’autre. Pour l’ouvrir, vous y recevrez un code ; ne dites ce code à personne.
check-wallet = Vérifiez dès maintenant que vous avez toujours ce portefeuille : personne ne peut le remplacer, et nous non plus.
check-paper = Vérifiez dès maintenant que vous avez toujours cette feuille : personne ne peut la remplacer, et nous non plus.
check-email = Vérifiez dès maintenant que vous pouvez toujours ouvrir cette boîte e-mail : personne ne peut la remplacer, et nous non plus.
advice-email-moving = Son contenu arrivera dans un portefeuille de votre adresse e-mail, que le service de connexion Turnkey garde pour vous. De là, il ne peut être transféré que dans une application des personnes qui gèrent { $site } ; aucune autre application de portefeuille n’ouvre ce portefeuille. Demandez-leur où avant d’ouvrir le cadeau.
ask-us = Demandez-nous : nos coordonnées sont en bas de cette page.
claimed-paper = Son contenu est dans le portefeuille auquel appartient la clé de votre feuille : gardez la feuille jusqu’à ce que vous l’ayez transféré vers un portefeuille à vous.
claimed-email = Son contenu est dans le portefeuille de votre adresse e-mail, que le service de connexion Turnkey garde pour vous. Seule une personne qui lit vos e-mails peut utiliser ce portefeuille : protégez bien votre boîte e-mail. Cette page sert seulement à ouvrir les cadeaux. Pour transférer le contenu, contre des frais de réseau en ETH, connectez-vous à ce portefeuille dans une application des personnes qui gèrent { $site } ; aucune autre application de portefeuille ne l’ouvre. Demandez-leur où, et ne dites à personne un code reçu par e-mail.
claimed-paper-or-named = Si vous avez indiqué un portefeuille en ouvrant le cadeau, son contenu y est arrivé. Si vous n’en avez indiqué aucun, il est dans le portefeuille auquel appartient la clé de votre feuille : gardez la feuille jusqu’à ce que vous l’ayez transféré vers un portefeuille à vous.
claimed-email-or-named = Si vous avez indiqué un portefeuille en ouvrant le cadeau, son contenu y est arrivé. Si vous n’en avez indiqué aucun, il est dans le portefeuille de votre adresse e-mail, que le service de connexion Turnkey garde pour vous. Seule une personne qui lit vos e-mails peut utiliser ce portefeuille : protégez bien votre boîte e-mail. Cette page sert seulement à ouvrir les cadeaux. Pour transférer le contenu, contre des frais de réseau en ETH, connectez-vous à ce portefeuille dans une application des personnes qui gèrent { $site } ; aucune autre application de portefeuille ne l’ouvre. Demandez-leur où, et ne dites à personne un code reçu par e-mail.
seal-forward = Offrir à votre tour
about-gift = À propos de ce cadeau
fact-sealed = Scellé
fact-opens = S’ouvre
fact-opened = Ouvert
fact-sealed-for = Scellé pour
fact-network = Réseau
fact-gift = Cadeau
gift-number = numéro { $number } du contrat
letter-stays = S’il y a un message personnel, il est dans la partie de ce lien après le signe # : il reste dans votre navigateur et ne nous est jamais envoyé.

## No gift is shown

no-gift = Il n’y a pas de cadeau ici
no-gift-1 = Veuillez vérifier le lien.
no-gift-2 = Un cadeau qui vient d’être scellé peut demander un petit moment.
cut-off = Ce lien n’est pas entier
cut-off-1 = Une partie s’est perdue, peut-être au moment de la copie. Rien d’autre n’est perdu : le cadeau est en sécurité là où il est.
cut-off-2 = Veuillez ouvrir le lien entier, tel que vous l’avez reçu.
not-served = Ce cadeau est sur un autre réseau
not-served-1 = Le lien nomme un réseau que cette page ne connaît pas. Rien n’est perdu : le cadeau est en sécurité là où il est.
not-served-2 = Veuillez vérifier le lien, ou demandez à la personne qui vous l’a donné où il s’ouvre.
not-shown = Ce cadeau ne peut pas être affiché ici
not-shown-1 = Il contient quelque chose que cette page ne connaît pas, ou ne connaît plus. Rien n’est perdu : le cadeau est en sécurité là où il est.
not-shown-2 = Veuillez demander à la personne qui vous l’a offert comment l’ouvrir.
not-now = Le cadeau ne peut pas être affiché pour le moment
not-now-1 = Rien n’est perdu : il est en sécurité là où il est. Veuillez réessayer bientôt.
too-many = Veuillez patienter un moment
too-many-1 = Beaucoup de personnes ont demandé des cadeaux depuis votre réseau pendant cette minute.
too-many-2 = Rien n’est perdu : veuillez recharger cette page dans une minute.
none-for = Aucun cadeau trouvé pour cette feuille
none-for-1 = Si vous avez tapé le lien, veuillez le comparer avec votre feuille : une lettre ou un chiffre est peut-être différent.
none-for-2 = Un cadeau qui vient d’être scellé peut demander un petit moment : veuillez réessayer dans un instant.
not-shown-for = Aucun cadeau qui puisse être affiché ici n’a été trouvé
not-shown-for-1 = Quelque chose est scellé pour cette feuille, que cette page ne connaît pas, ou ne connaît plus. Rien n’est perdu : c’est en sécurité là où c’est.
not-shown-for-2 = Si vous n’avez pas encore ouvert votre cadeau, veuillez demander à la personne qui vous a donné la feuille comment l’ouvrir.
not-shown-for-3 = Si vous l’avez déjà ouvert, celui-ci en est un autre, peut-être d’une personne inconnue. Si vous n’avez pas indiqué alors un autre portefeuille, le contenu de votre cadeau est dans le portefeuille auquel appartient la clé de votre feuille : gardez la feuille jusqu’à ce que vous l’ayez transféré vers un portefeuille à vous.
mistyped = Il y a une erreur dans ce lien
mistyped-1 = Une lettre ou un chiffre de l’adresse est différent de ce qui est imprimé, ou il en manque un. Rien n’est perdu.
mistyped-2 = Veuillez la comparer avec votre feuille, à partir de 0x, ou scannez le code sur la couverture de la feuille.
rewritten = Ce lien a été modifié en route
rewritten-1 = Une messagerie ou un filtre a changé des signes dans le lien. Rien n’est perdu : le cadeau est en sécurité là où il est.
rewritten-2 = Dans la barre d’adresse, remplacez %23 par #, et %3F par ?. Ou ouvrez le lien tel que vous l’avez reçu, dans une autre messagerie ou un autre navigateur.

## The letter, the calendar and sharing

letter-label = Message personnel
letter-from = De la part de { $name }
letter-unchecked = Les noms et le message viennent de la personne qui a créé ce lien. Personne ne les a vérifiés.
letter-ask = Connaissez-vous { $name } ? Téléphonez, à un numéro que vous avez déjà, et demandez si ce cadeau vient bien de là.
letter-damaged = Le message n’est pas arrivé entier
letter-damaged-1 = Une partie du lien s’est perdue en route, si bien que le message personnel ne peut pas être lu. Le cadeau lui-même est en sécurité et peut quand même être ouvert. Demandez à la personne qui vous l’a envoyé de vous renvoyer le lien entier.
calendar-add = Ajouter le jour à votre agenda
calendar-title = Un cadeau pour vous s’ouvre
out-cannot-print = Ce navigateur ne peut pas imprimer : aucune fenêtre d’impression ne s’est ouverte. Les navigateurs des applications de portefeuille ne le peuvent généralement pas.
out-saved = Le fichier devrait maintenant être dans vos téléchargements. Il n’y est pas ? Alors ce navigateur ne peut pas enregistrer de fichiers. Les navigateurs des applications de portefeuille ne le peuvent généralement pas.
out-share = Partager
out-not-shared = Rien n’a été partagé.
out-elsewhere = Ouvrez cette page dans un autre navigateur, comme Safari ou Chrome. Son adresse :
out-copy = Copier l’adresse
out-copied = L’adresse est copiée.
out-not-copied = Votre navigateur ne l’a pas permis. Copiez l’adresse d’ici.
calendar-way-out = Vous pouvez aussi noter le jour : il est écrit sur cette page.
opens-in = Il s’ouvre dans { $days }, { $hours } et { $minutes }.
day-has-come = Le jour est venu. Un instant…
share = Partager ou cacher le message
share-words = Toute personne qui a le lien peut voir ce cadeau ; le lien seul ne l’ouvre pas. Le message personnel fait partie du lien dans votre barre d’adresse. Retirez-le de là avant de partager cette page ou de la montrer. Il aura alors disparu quand la page sera rechargée : gardez donc d’abord le lien entier pour vous.
share-copy-whole = Copier le lien entier
share-copied-whole = Le lien entier est copié.
share-copy-bare = Copier le lien sans message
share-copied-bare = Le lien sans le message est copié.
share-take-out = Retirer le message
share-taken-out = Le message n’est plus dans la barre d’adresse. Vous pouvez maintenant partager le lien sans lui.
share-not-allowed = Votre navigateur ne l’a pas permis. Copiez le lien depuis la barre d’adresse.

## The ways to open it

try-again = Réessayer
one-moment = Un instant…
looking-for-way = Recherche d’un moyen de l’ouvrir…
open-your-gift = Ouvrir votre cadeau
costs-nothing = Cela ne vous coûte rien : les frais de réseau sont payés pour vous.
way-paper = Avec la clé de ma feuille
way-email = Avec un code reçu par e-mail
way-wallet = Avec mon portefeuille
no-codes = L’envoi de codes est impossible pour le moment. Veuillez réessayer plus tard.
stays-where = Rien n’est perdu : votre cadeau reste là où il est.
stays-self-paid = Rien n’est perdu : votre cadeau reste là où il est. D’ici là, seul un portefeuille qui paie lui-même les frais peut l’ouvrir.
look-again = Regarder de nouveau
wallet-signs = Votre portefeuille signe…
open-my-gift = Ouvrir mon cadeau

## With the printed key

paper-words = Dépliez votre feuille : la clé est sur le volet blanc. Elle reste sur cet appareil et n’est jamais envoyée à personne ; elle signe ici, et elle est oubliée aussitôt.
paper-legend = La clé, telle qu’elle est imprimée : 16 groupes de 4
paper-group = Groupe { $number } sur { $groups }
paper-typed-wrong = Ce n’est pas la clé de ce cadeau. Veuillez comparer chaque groupe avec votre feuille : une lettre ou un chiffre est différent.
paper-scanned-wrong = Ce n’est pas la clé de ce cadeau. Est-ce la feuille d’un autre cadeau ?
paper-no-key = Ce code n’est pas la clé. Scannez celui du volet blanc, à l’intérieur de la feuille pliée.
paper-bad-letter = Le groupe { $number } contient un caractère qu’aucune clé n’a : seulement 0 à 9 et a à f.
paper-too-short = Le groupe { $number } doit avoir 4 caractères.
camera-scan-key = La scanner avec la caméra
camera-picture = Image de la caméra
camera-hold = Placez le code carré du volet blanc devant la caméra.
camera-stop = Arrêter la caméra
camera-unusable-key = La caméra ne peut pas être utilisée ici. Veuillez taper la clé.
camera-or-type = ou tapez-la

## With the email address

email-words = Ce cadeau a été scellé pour une adresse e-mail. Tapez-la, et le service de connexion y envoie un code : ni l’adresse ni le code ne nous parviennent.
email-label = Votre adresse e-mail
email-send-code = M’envoyer un code
email-none = Ce n’est pas une adresse e-mail. Veuillez la vérifier.
code-words = Un code est en route vers { $email }. Tapez-le ici, et ne le dites à personne.
code-words-reloaded = Un code est en route vers votre adresse. Tapez-le ici, et ne le dites à personne.
code-label = Le code reçu par e-mail
code-none = Veuillez taper le code reçu par e-mail.
code-another = Envoyer un autre code
code-another-reloaded = Demander un autre code
email-another = Utiliser une autre adresse
code-wrong = Ce code ne convient pas, ou il n’est plus valable. Utilisez l’e-mail le plus récent, ou demandez un autre code.
email-wrong = Cette adresse n’ouvre pas ce cadeau. Il a peut-être été scellé pour une autre de vos adresses.
code-too-many = Il y a eu trop d’essais. Veuillez attendre quelques minutes, puis demandez un autre code.
provider-away = Le service de connexion ne répond pas pour le moment. Rien n’est perdu : veuillez réessayer bientôt.

## With a wallet

wallet-sealed-for = Ce cadeau a été scellé pour le compte { $account }. Votre portefeuille vous demande votre accord ; on ne lui demande jamais de clé.
wallet-self-paid-works = Payer les frais vous-même est toujours possible.
wallet-none = Aucun portefeuille n’a été trouvé dans ce navigateur. Sur un téléphone, ouvrez ce lien dans le navigateur de votre application de portefeuille ; sur un ordinateur, utilisez le navigateur où se trouve votre portefeuille.
wallet-lost = Un nouveau portefeuille n’aide pas : seul { $account } l’ouvre. Si vous l’avez perdu, cherchez sa phrase de récupération, et ne la dites à personne. Si vous ne connaissez pas ce portefeuille, demandez à la personne qui vous a offert le cadeau.
wallet-apps = Avez-vous une application de portefeuille sur ce téléphone ? Ouvrez-y cette page :
wallet-apps-letter = Le message personnel reste ici et n’est pas transmis, car les éditeurs de ces applications pourraient le lire. Pour le voir là-bas aussi, copiez le lien entier plus bas et collez-le dans le navigateur de l’application.
wallet-keep-weth = Recevoir du wrapped ether (WETH) au lieu d’ETH
wallet-keep-token = Recevoir { $symbol } au lieu d’ETH
wallet-keep-tokens = Recevoir les jetons eux-mêmes au lieu d’ETH
wallet-busy = Un portefeuille attend encore votre réponse. Répondez-lui, ou rechargez cette page pour en choisir un autre.
wallet-asks = { $wallet } attend votre réponse. Si vous ne voyez pas sa fenêtre, ouvrez-la vous-même.
wallet-pay-fee = Payer les frais moi-même
wallet-pay-fee-with = Payer les frais moi-même avec { $wallet }
wallet-open-free = Ouvrir sans frais avec { $wallet }
wallet-of-browser = Portefeuille du navigateur
wallet-no-account = { $wallet } n’utilise aucun compte, mais ce cadeau a été scellé pour { $recipient }. Choisissez ce compte dans votre portefeuille, puis réessayez.
wallet-other-account = { $wallet } utilise le compte { $account }, mais ce cadeau a été scellé pour { $recipient }. Choisissez cet autre compte dans votre portefeuille, puis réessayez.
wallet-names-none = { $wallet } n’indique aucun compte. Veuillez plutôt taper l’adresse.
wallet-choose-network = Choisissez le réseau { $network } dans { $wallet }, puis réessayez.
wallet-unknown-network = { $wallet } ne connaît pas encore le réseau de ce cadeau. Ajoutez-le dans les réglages de { $wallet }, parmi les réseaux : { $network }, identifiant de chaîne { $number }, monnaie ETH. Puis réessayez.
wallet-other-network = Ce cadeau est sur un autre réseau que votre portefeuille. Choisissez le réseau { $network } dans { $wallet }, puis réessayez.
wallet-wrong-recipient = Ce cadeau a été scellé pour un autre compte. Choisissez ce compte dans votre portefeuille, puis réessayez.
wallet-empty-gift = Il n’y a plus rien dans ce cadeau.
wallet-declined = Vous avez refusé dans { $wallet }. Rien ne s’est passé.
wallet-pending = { $wallet } attend déjà une réponse de vous. Répondez-y d’abord.
wallet-no-ether = Il n’y a pas assez d’ETH dans votre portefeuille pour payer les frais de réseau. L’ouverture sans frais fonctionne, là où elle est proposée.
wallet-failed = { $wallet } n’a pas pu le faire. Rien ne s’est passé : veuillez réessayer.
wallet-look = Veuillez regarder dans votre portefeuille
wallet-silent = C’est en route, mais personne ne répond pour le moment. La demande est renouvelée…
wallet-still = C’est en route, pour autant que cette page le sache. Si vous l’avez arrêté dans votre portefeuille, vous pouvez recommencer ; rien ne peut être ouvert deux fois.
wallet-was-asked = Une demande a été faite à votre portefeuille avant que cette page soit rechargée. Si vous avez accepté, votre cadeau est en route ; sinon, recommencez. Rien ne peut être ouvert deux fois.
start-again = Recommencer

## Where it lands

destination = Où doit-il arriver ?
destination-own = Dans un portefeuille à vous
destination-own-words = Il y arrive aussitôt, et vous ne payez pas de frais.
destination-none = Pas de portefeuille ? Choisissez ci-dessous « { $keep } ».
destination-label = L’adresse de votre portefeuille
destination-look = Vérifier l’adresse
destination-scan = Scanner son code à la caméra
destination-no-camera = La caméra ne peut pas être utilisée ici. Veuillez plutôt taper l’adresse.
destination-use-wallet = Utiliser { $wallet }
destination-gift-wallet = Dans le portefeuille cadeau
destination-kept-paper = Il reste avec la clé de votre feuille. Pour le transférer plus tard, contre des frais de réseau, faites-vous aider par une personne de toute confiance : la clé va alors une seule fois dans votre propre application de portefeuille, et nulle part ailleurs.
destination-kept-email = Il reste dans le portefeuille de votre adresse e-mail. Pour le transférer plus tard, vous vous y connectez dans une application des personnes qui gèrent { $site } et payez des frais de réseau ; aucune autre application de portefeuille ne l’ouvre.
destination-keep = Le laisser dans ce portefeuille
destination-confirm = Est-ce votre portefeuille ?
destination-compare = Comparez chaque caractère avec l’adresse que montre votre application de portefeuille. Certains programmes remplacent une adresse pendant qu’on la copie.
destination-unchecked = Cette adresse n’a pas de lettres de contrôle : une erreur ne serait pas remarquée.
destination-final = Ce qui arrive dans un mauvais portefeuille ne peut pas être récupéré.
destination-yes = Oui, l’envoyer là
destination-another = En utiliser une autre
destination-no-address = Ce n’est pas l’adresse d’un portefeuille. Elle commence par 0x, suivi de 40 lettres et chiffres.
destination-other-network = Ce code est pour un autre réseau. Veuillez utiliser une adresse pour le réseau de ce cadeau.
destination-mistake = Une lettre ou un chiffre de cette adresse est faux. Veuillez la copier encore une fois.
destination-nobody = Personne n’a la clé de cette adresse : ce qui y est envoyé est perdu.
destination-contract = C’est l’adresse d’un contrat, et non d’un portefeuille : ce qui y est envoyé est perdu.
destination-bare-contract = À cette adresse se trouve un programme qui ne dit pas être un portefeuille. Si personne ne peut s’en servir ainsi, ce qui y est envoyé est perdu pour toujours.
destination-same = C’est le portefeuille cadeau lui-même. Pour y laisser le cadeau, choisissez-le ci-dessous.

## On its way

on-its-way = Votre cadeau est en route
step-signed = Signé sur cet appareil
step-handed = Remis au réseau
step-confirmed = Confirmé par le réseau
sending-signature = Votre signature est en cours d’envoi…
looking-where = Recherche de votre cadeau…
service-silent = Le service ne répond pas pour le moment ; la demande est renouvelée…
now-arrived = Votre signature est arrivée. Elle est envoyée au réseau…
now-predecessor = Un autre de vos cadeaux passe d’abord. Celui-ci suit de lui-même…
now-sending = Envoi au réseau en cours…
now-broadcast = Il est en route. Le réseau met d’habitude moins d’une minute…
now-mined = Votre cadeau est arrivé ! Le réseau le rend définitif…
now-failed = Le réseau a refusé la transaction. Ce refus devient définitif, ce qui prend environ un quart d’heure. Ensuite, vous pourrez réessayer.
why-fees = Le réseau est très occupé et ses frais sont élevés pour le moment. Votre cadeau continue dès qu’ils baissent.
why-balance = Le portefeuille du service, qui paie les frais de réseau, doit d’abord être rempli. Votre cadeau continuera ensuite de lui-même.
why-daily-cap = Le budget du jour pour les frais de réseau est épuisé pour le moment. Votre cadeau continuera de lui-même dès qu’il y aura de la place.
why-chain = Le réseau ne répond pas pour le moment. Votre cadeau continuera de lui-même dès qu’il répondra.
why-earlier = D’autres cadeaux sont envoyés au réseau avant le vôtre. Il suit de lui-même.
why-paused = Le paiement des frais de réseau est suspendu pour le moment. Votre cadeau continuera de lui-même ensuite.
why-would-fail = Le réseau refuserait cela pour le moment. Un nouvel essai est fait automatiquement.
meanwhile = Vous pouvez laisser cette page ouverte, ou revenir plus tard. Après une heure, on vous demandera de l’ouvrir encore une fois.
choose-another-way = Choisir un autre moyen
see-transaction = Voir la transaction { $hash }
transaction = transaction { $hash }
not-yet = Cela n’a pas encore marché
see-what-works = Voir ce qui marche maintenant
nothing-sent = Rien n’a été envoyé : le cadeau est toujours là.
trouble-reverted = Le réseau a refusé la transaction. Rien n’a bougé : le cadeau est toujours là.
trouble-refused = Le réseau a refusé la transaction. Le cadeau est toujours là.
trouble-expired = L’envoi n’a pas pu se faire à temps, donc rien n’a bougé. Le cadeau est toujours là : veuillez réessayer.
trouble-superseded = Autre chose a été envoyé d’abord pour ce portefeuille. Le cadeau est peut-être toujours là : veuillez regarder de nouveau.
trouble-cancelled = Le portefeuille auquel il est destiné a annulé l’envoi. Le cadeau est toujours là.
trouble-unknown = C’est terminé sans votre cadeau : veuillez regarder de nouveau.

## Received

you-opened = Vous avez ouvert ce cadeau.
it-is-yours = Il est à vous
arrived-at = Arrivé à { $account } : { $gift }.
was-paid-out = Versé : { $gift }.
received-paper = Il est maintenant dans le portefeuille auquel appartient la clé de votre feuille : gardez la feuille en sécurité. Pour transférer le cadeau, faites-vous aider par une personne de toute confiance : la clé va alors une seule fois dans votre propre application de portefeuille, et nulle part ailleurs.
received-email = Il est maintenant dans le portefeuille de votre adresse e-mail, que le service de connexion Turnkey garde pour vous. Toute personne qui peut lire vos e-mails peut utiliser ce portefeuille : protégez bien votre boîte e-mail. Cette page sert seulement à ouvrir les cadeaux. Pour le transférer, connectez-vous à ce portefeuille dans une application des personnes qui gèrent { $site } ; aucune autre application de portefeuille ne l’ouvre. Demandez-leur où, et ne dites jamais à personne un code reçu par e-mail.
received-wallet = Il est maintenant dans votre portefeuille.
received-own = Il est dans le portefeuille que vous avez indiqué. Vous n’avez plus besoin du portefeuille cadeau.
received-either = Veuillez regarder dans le portefeuille que vous avez indiqué, et dans le portefeuille cadeau : il est dans l’un des deux.
fee-from-gift = Le transférer plus tard coûte de petits frais de réseau, payés avec l’ETH qui est arrivé.
fee-needs-ether = L’ouverture était gratuite. Seul un transfert plus tard coûte de petits frais de réseau en ETH. Ne payez aucune personne qui vous écrit à ce sujet : demandez à quelqu’un de votre famille.

## Why something did not work

no-fee-spent = Le budget du jour pour payer les frais de réseau des cadeaux est épuisé. Il y en aura un nouveau à { $time }.
no-fee-reserved = Le budget du jour pour payer les frais de réseau des cadeaux est réservé à ceux qui sont en route. Veuillez réessayer dans vingt minutes.
no-fee-here = Les frais de réseau ne sont pas payés ici pour les destinataires.
no-fee-paused = Le paiement des frais de réseau pour les destinataires est suspendu pour le moment. Veuillez réessayer plus tard.
no-fee-unknown = On ne peut pas savoir pour le moment si les frais de réseau peuvent être payés pour vous. Veuillez réessayer dans quelques minutes.
locked = Selon l’horloge du réseau, le cadeau est encore verrouillé. Veuillez réessayer dans une minute.
already-opened = Ce cadeau a déjà été ouvert.
too-late = L’envoi a trop tardé. Rien ne s’est passé : veuillez réessayer.
signer-paused = Un retrait de ce portefeuille a échoué aujourd’hui sur le réseau : on ne paie plus de frais pour lui jusqu’à demain.
nonce-mismatch = Un autre cadeau de ce portefeuille est en route, ou celui-ci l’est déjà. Veuillez attendre une minute, puis réessayez.
already-used = Cela a déjà été envoyé. Veuillez réessayer : la page cherche alors où est le cadeau.
signer-mismatch = La signature n’est pas reconnue comme celle du portefeuille pour lequel ce cadeau a été scellé. Rien ne s’est passé. Avec un smart wallet, vous pouvez payer les frais vous-même.
gift-not-found = Le cadeau est introuvable maintenant. Veuillez recharger la page.
chain-unavailable = Le réseau est injoignable pour le moment. Rien n’est perdu : veuillez réessayer dans quelques minutes.
would-fail = Le réseau refuserait cela pour le moment, ou cela coûte plus que ce qui est payé ici : rien n’a donc été envoyé. Veuillez réessayer plus tard. Avec un smart wallet, vous pouvez payer les frais vous-même.
problem-request = Le service n’a pas pu utiliser ce que cette page a envoyé. Rien ne s’est passé : veuillez recharger la page et réessayer.
problem-service = Le service est en panne pour le moment. Rien n’est perdu : veuillez réessayer dans quelques minutes.
problem-destination = Le cadeau ne peut pas être envoyé à cette adresse. Rien ne s’est passé : veuillez réessayer avec un autre portefeuille à vous.
problem-no-destination = Ce cadeau ne peut arriver que dans le portefeuille du cadeau. Rien ne s’est passé : veuillez recharger la page et l’ouvrir encore une fois.
problem-not-opened-here = Cette page ne peut pas ouvrir ce que contient ce cadeau. Rien n’est perdu : veuillez demander à la personne qui vous l’a offert comment l’ouvrir.
problem-unknown = Le service a refusé, pour une raison que cette page ne connaît pas : { $code }. Veuillez recharger la page et réessayer. Si cela se reproduit, donnez ce mot à la personne qui vous aide.
too-often = Il y a eu trop d’essais. Veuillez attendre { $wait }, puis réessayez.
service-away = Le service ne répond pas. Avez-vous une connexion à Internet ? Rien n’est perdu : veuillez réessayer bientôt.
went-wrong = Quelque chose n’a pas marché sur cette page. Rien n’est arrivé au cadeau : veuillez recharger la page et réessayer.
