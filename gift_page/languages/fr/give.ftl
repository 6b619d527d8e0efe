## Occasions, with messages a giver may start from: greetings of the language, not word by word

occasion-gift = Un cadeau
gift-1 = Une petite attention, scellée pour toi jusqu’à son jour.
gift-2 = J’ai mis ceci de côté pour toi. Ouvre-le quand le jour viendra, et pense à moi.
gift-3 = Pour toi, avec tout mon amour.
occasion-birthday = Anniversaire
birthday-1 = Joyeux anniversaire ! Ce cadeau demande un peu de patience, mais il est à toi.
birthday-2 = Une année de plus avec toi : la plus belle raison de faire la fête. Joyeux anniversaire !
birthday-3 = Que cette nouvelle année te soit douce. Joyeux anniversaire, je t’embrasse.
occasion-wedding = Mariage
wedding-1 = À vous deux, et à tout ce que vous construirez ensemble.
wedding-2 = Que votre vie soit pleine de petits bonheurs.
wedding-3 = Avec beaucoup d’affection, aujourd’hui et pour toutes les années à venir.
occasion-anniversary = Anniversaire de mariage
anniversary-1 = Aux années passées et à toutes celles qui viendront. Joyeux anniversaire de mariage !
anniversary-2 = Toujours mon histoire préférée : la vôtre. Joyeux anniversaire de mariage !
anniversary-3 = Pour nous deux, avec tout mon amour.
occasion-new-baby = Naissance
new-baby-1 = Bienvenue au monde ! Ceci t’attendra le temps que tu grandisses.
new-baby-2 = Tout petit aujourd’hui, si grand demain : un cadeau pour les années à venir.
new-baby-3 = Nous sommes si heureux que tu sois là.
occasion-graduation = Diplôme
graduation-1 = Tu as réussi ! Nous sommes si fiers de toi.
graduation-2 = Un début, pour tout ce que tu choisiras de commencer.
graduation-3 = Pour tout le travail que personne n’a vu : félicitations !
occasion-bar-bat-mitzvah = Bar-mitsva ou bat-mitsva
bar-bat-mitzvah-1 = Mazel tov ! Nous sommes si fiers de toi aujourd’hui.
bar-bat-mitzvah-2 = Un jour dont on se souvient, et quelque chose pour les années qui suivent.
bar-bat-mitzvah-3 = Avec beaucoup d’affection en ce grand jour. Avance toujours, de force en force.
occasion-thank-you = Merci
thank-you-1 = Merci, pour bien plus que ce qui tient sur une carte.
thank-you-2 = Tu étais là quand il le fallait. Merci.
thank-you-3 = Un petit merci pour une grande gentillesse.
occasion-new-home = Nouvelle maison
new-home-1 = Que ces pièces se remplissent d’amis et de rires.
new-home-2 = Une nouvelle porte, une nouvelle clé, un nouveau départ. Bienvenue à la maison !
new-home-3 = Pour la maison, ou pour ce dont elle aura besoin.
occasion-someday = Un jour
someday-1 = Pas de date spéciale, seulement toi. Ce cadeau grandit jusqu’à ce que tu l’ouvres.
someday-2 = Pour le jour où tu en auras besoin, ou le jour où tu en auras envie.
someday-3 = J’ai pensé à toi aujourd’hui. Un jour, tu liras ceci.
occasion-valentine = Saint-Valentin
valentine-1 = Pour toi, aujourd’hui et tous les autres jours.
valentine-2 = Mon cœur était à toi bien avant que ce cadeau soit scellé.
valentine-3 = Tout mon amour, pour toujours.
occasion-new-year = Nouvel An
new-year-1 = Bonne année, bonne santé, et beaucoup de bonheur avec ceux que tu aimes !
new-year-2 = À tout ce qui commence. Bonne année !
new-year-3 = Que la nouvelle année te soit douce.
occasion-christmas = Noël
christmas-1 = Joyeux Noël ! Ce cadeau reste un peu plus longtemps sous le sapin.
christmas-2 = Un Noël de paix et de chaleur, avec ceux que tu aimes.
christmas-3 = Avec toute mon affection, à Noël et toute l’année.
occasion-hanukkah = Hanouka
hanukkah-1 = Joyeuse fête de Hanouka ! Que ta maison soit pleine de lumière.
hanukkah-2 = Huit soirs de lumière, et un cadeau qui attend son jour.
hanukkah-3 = À toi et à ta famille, une belle et lumineuse fête de Hanouka.
occasion-eid = Aïd
eid-1 = Aïd Moubarak ! Que ce jour t’apporte joie et paix.
eid-2 = Une belle fête de l’Aïd à toi et à ta famille.
eid-3 = Aïd Moubarak, avec toute mon affection et mes meilleurs vœux.
occasion-diwali = Diwali
diwali-1 = Joyeux Diwali ! Que ton année soit pleine de lumière.
diwali-2 = Lumière, douceur et prospérité pour toi et ta famille.
diwali-3 = Je te souhaite un Diwali joyeux et lumineux.
occasion-easter = Pâques
easter-1 = Joyeuses Pâques ! Certaines choses valent la peine d’être cherchées.
easter-2 = Le printemps, le soleil et une petite surprise pour toi.
easter-3 = Joyeuses Pâques à toi et à ta famille.
occasion-lunar-new-year = Nouvel An lunaire
lunar-new-year-1 = Joyeux Nouvel An lunaire ! Que la chance trouve le chemin jusqu’à toi.
lunar-new-year-2 = Santé, prospérité et bonheur pour la nouvelle année.
lunar-new-year-3 = Pour la nouvelle année : du rouge, de la chance, et quelque chose qui grandit.

## The giver's wallet

seal-a-gift = Sceller un cadeau
your-wallet = Votre portefeuille
giver-no-wallet = Aucun portefeuille trouvé pour l’instant. Sur un téléphone, ouvrez cette page dans le navigateur de votre application de portefeuille ; sur un ordinateur, utilisez le navigateur où se trouve votre portefeuille.
giver-connect = Connecter { $wallet }
giver-account = { $wallet } : { $account } sur { $network }
giver-connect-first = Veuillez d’abord connecter un portefeuille.
giver-connect-above = Veuillez d’abord connecter votre portefeuille : il est en haut de cette page.
giver-no-chain = Aucune chaîne n’est proposée ici.
giver-declined = Le portefeuille a refusé. Rien n’a été envoyé.
giver-refused = La chaîne refuse cela. Y en a-t-il assez dans votre portefeuille ?
giver-too-little = Il n’y en a pas assez dans votre portefeuille.
giver-failed = Cela n’a pas marché. Veuillez réessayer.
giver-was-asked = Votre portefeuille devait sceller un cadeau quand cette page a été rechargée. Veuillez d’abord y regarder : ce qui a été envoyé est scellé, et sa feuille imprimée est bonne. Scellé encore une fois, ce serait un deuxième cadeau.

## The form

form-gift = Le cadeau
form-occasion = Occasion
form-language = Langue du cadeau
form-to = Pour (un nom)
form-from = De la part de (votre nom)
form-note = Votre message
form-room = { $used } caractères sur { $most } au plus
form-inside = Ce qu’il contient
form-asset = Vous offrez
form-amount = Combien
form-opens = S’ouvre le
form-chain-clock = Selon l’horloge de la chaîne, où l’on est maintenant le { $moment }.
form-how = Comment il s’ouvre
form-paper = Avec une clé imprimée : vous imprimez une feuille et la remettez
form-wallet = Avec un portefeuille existant : vous connaissez son adresse
form-email = Avec une adresse e-mail : un code y est envoyé à l’ouverture
form-wallet-address = L’adresse du portefeuille du destinataire
form-email-address = L’adresse e-mail du destinataire
form-continue = Continuer
letter-long-name = Un nom peut avoir { $most } caractères au plus.
letter-long-note = Le message peut avoir { $most } caractères au plus.
letter-hidden = Un nom ou le message contient un caractère de contrôle ou un caractère invisible.
letter-address = Un nom ressemble à une adresse web ou e-mail. Veuillez l’écrire autrement.
letter-marks = Un nom a trop de signes empilés sur une même lettre.
letter-too-long = Les noms et le message sont trop longs pour un lien.
form-no-day = Veuillez choisir quand le cadeau s’ouvre.
form-future = Un cadeau s’ouvre dans le futur.
form-too-far = Un cadeau s’ouvre dans les { $years } ans. Veuillez vérifier l’année : personne ne pourra la changer plus tard.
form-two-readings = « { $typed } » peut se lire de deux façons. Veuillez écrire { $thousands } si vous parlez de milliers, ou { $small } sinon.
form-whole-amount = Veuillez indiquer combien, en { $symbol } : un nombre entier, par exemple 2.
form-bad-amount = Veuillez indiquer combien, en { $symbol } : par exemple { $example }, avec { $decimals } décimales au plus et sans séparateur de milliers.
form-no-amount = Veuillez indiquer combien.
form-no-address = Ce n’est pas l’adresse d’un portefeuille.
form-no-email = Ce n’est pas une adresse e-mail.

## The review

review = Veuillez relire une dernière fois
review-gift = Le cadeau
review-amount = { $gift }, sur { $network }
review-for = Pour
review-for-paper = La personne qui a la feuille imprimée. Veuillez la garder comme de l’argent liquide.
review-for-email = La personne qui lit la boîte e-mail { $email }. Un portefeuille est créé pour elle s’il n’y en a pas encore.
review-for-wallet = Le portefeuille { $address }. Lui seul peut ouvrir le cadeau.
review-opens = S’ouvre
review-lands = Où il arrive
review-lands-own = À l’ouverture, la personne dit où il doit arriver : dans un portefeuille à elle, ou dans le portefeuille de son adresse e-mail.
review-lands-email = Dans le portefeuille de son adresse e-mail, que garde le service de connexion Turnkey. De là, il ne peut être transféré que dans une application des personnes qui gèrent { $site } ; aucune autre application de portefeuille n’ouvre ce portefeuille. Demandez-leur où, et dites-le à la personne qui reçoit le cadeau.
review-moment = { $moment }, dans votre fuseau horaire
review-fee = Frais de réseau
review-fee-words = Vous les payez en ETH. Votre portefeuille vous montre le montant avant votre accord.
review-final = Une fois le cadeau scellé, rien ne peut plus être changé. Personne ne peut le reprendre, et personne ne peut l’ouvrir plus tôt : ni vous, ni nous.
review-seal = Sceller le cadeau
review-change = Changer quelque chose
sheet-first = Imprimez d’abord la feuille de clé
sheet-first-words = La clé n’existe que sur cette page, jusqu’à ce que vous la quittiez. Sans la feuille, personne ne pourra jamais ouvrir le cadeau.
sheet-printed = Elle est imprimée, et je peux y lire la clé.
sheet-not-printed = Veuillez d’abord imprimer la feuille, et le confirmer ci-dessus.
sheet-throw-away = Si vous avez imprimé cette feuille, jetez-la : rien n’est scellé pour sa clé.

## Sealing

sealing-sign-recipient = Veuillez signer dans votre portefeuille pour qui il est. Trouver ou créer le portefeuille de cette personne peut ensuite prendre plus d’une minute.
sealing-confirm = Veuillez confirmer la transaction { $number } sur { $all } dans votre portefeuille.
sealing-on-its-way = La transaction { $number } sur { $all } est en route.
sealing-too-late = Son jour est venu entre-temps. Veuillez choisir un moment plus tardif.
sealing-refused = La chaîne a refusé cela. Rien n’a été scellé.
sealed = Le cadeau { $number } est scellé. Il s’ouvre le { $moment }.
sealed-not-kept = Ce navigateur ne garde rien : enregistrez le lien maintenant.
seal-another = Sceller un autre cadeau

## Afterwards

kept-gift = Cadeau { $number }
kept-title = Cadeaux scellés ici
kept-some = Ce navigateur se souvient des liens des cadeaux que vous y avez scellés. Personne d’autre ne s’en souvient.
kept-none = Ce navigateur se souviendra des liens des cadeaux que vous y scellez. Personne d’autre ne s’en souviendra.
kept-item-for = { $occasion } pour { $name }, cadeau { $number }
kept-item = { $occasion }, cadeau { $number }
kept-show = Afficher
kept-show-item = Afficher : { $item }
kept-forget = Oublier
kept-forget-item = Oublier : { $item }
kept-forget-sure = Oublier pour toujours : le lien ne peut pas être recréé
list-title = Ce que vous avez scellé
list-none = Ce portefeuille n’a encore rien scellé.
list-unread = La liste de ce que vous avez scellé ne peut pas être lue pour le moment. Voici ce dont votre navigateur se souvient.
list-broken = La suite de la liste ne peut pas être lue pour le moment.
list-rest = Votre navigateur se souvient aussi de ceux-ci : d’un autre portefeuille, plus anciens, tout récents ou disparus de la chaîne.
list-more = Afficher plus
list-regular = Verrou temporel { $number }
list-soft = Verrou temporel souple { $number }
list-sealed-until = Scellé. S’ouvre le { $moment }.
list-sealed = Scellé. Aucun jour d’ouverture n’est fixé.
list-open = À ouvrir depuis le { $moment }.
list-ended = Terminé. Le contenu a été retiré.
link-words = Le lien vers le cadeau. Toute personne qui l’a peut lire votre message ; seul le destinataire peut ouvrir le cadeau.
link-copy = Copier le lien
link-copied = Copié.
link-not-allowed = Votre navigateur ne l’a pas permis. Copiez le lien d’ici.
page-sheet = Feuille de clé
page-card = Carte cadeau
page-record = Justificatif du cadeau
page-as-printed = { $page }, aperçu avant impression
page-print = Imprimer
page-save = Enregistrer en PNG
page-not-saved = L’enregistrement n’a pas marché. Rien n’a été enregistré : veuillez imprimer.
page-withheld = Ce navigateur refuse l’image à la page, pour éviter le pistage. Rien n’a été enregistré : veuillez imprimer.
page-not-drawn = { $page } : l’affichage est impossible pour le moment. Affichez de nouveau le cadeau ci-dessous.
page-does-not-fit = { $page } : { $why }
record-needs-wallet = Connectez votre portefeuille pour avoir aussi le justificatif du cadeau.
fonts-missing = Les polices n’ont pas pu être chargées. Veuillez réessayer.

## Telling the recipient by email

notify = Prévenir le destinataire par e-mail, si vous voulez
notify-email = L’adresse e-mail du destinataire
notify-when = Quand
notify-now = Maintenant, et le jour de l’ouverture
notify-scheduled = Un jour que je choisis, et le jour de l’ouverture
notify-opening = Seulement le jour de l’ouverture
notify-day = Prévenir le
notify-privacy = L’adresse et le lien sont gardés chiffrés jusqu’à l’ouverture du cadeau, et ne sont envoyés à personne d’autre.
notify-go = Faire prévenir
notify-no-email = Veuillez indiquer l’adresse e-mail du destinataire.
notify-no-day = Veuillez choisir le jour et l’heure.
notify-bad-day = Veuillez choisir un moment à partir de maintenant, avant que le cadeau s’ouvre le { $moment }.
notify-done = Le destinataire sera prévenu.
notify-done-on = Le destinataire sera prévenu le { $moment }, et le jour de l’ouverture.

## The printed pages

print-for = pour { $name }
print-from = de la part de { $name }
print-opens = S’ouvre le { $day }
print-scan = Scannez votre cadeau
print-scan-opens = Scannez pour voir votre cadeau. Il s’ouvre le { $day }.
print-note-too-long = Le message a trop de lignes pour la carte, qui en contient { $most } au plus.
print-code-too-long = Le message est trop long pour le code imprimé.
print-letter-too-long = Les noms et le message sont trop longs pour le code de la feuille, qui peut en contenir { $room } octets (une lettre simple en prend un, d’autres de deux à quatre).
sheet-key = La clé de ce cadeau
sheet-key-words = Toute personne qui lit cette clé peut prendre le cadeau. Ne la montrez à personne, et ne la saisissez que sur la page qu’ouvre le code de la couverture, le jour venu ou plus tard.
sheet-opens-for = Elle ouvre ce qui est scellé pour { $address }
sheet-closing = Pour fermer : pliez ce volet derrière la couverture, puis celui du bas par-dessus ; scellez le bord.
sheet-how = Comment ouvrir votre cadeau
sheet-look = Regarder
sheet-look-words = Scannez le code de la couverture avec votre téléphone. La page montre ce que contient le cadeau, et quand il s’ouvre.
sheet-wait = Attendre
sheet-wait-words = Gardez cette pochette fermée et en sécurité, comme de l’argent liquide. Personne ne peut la remplacer, pas même qui vous l’a offerte.
sheet-open = Ouvrir
sheet-open-words = Le jour venu ou plus tard, dépliez la pochette et rouvrez la page. Scannez-y la clé, ou tapez-la.
sheet-keep = Garder
sheet-keep-words = Le cadeau est alors dans le portefeuille de cette clé. Gardez la feuille jusqu’à son transfert vers un portefeuille à vous.
sheet-no-camera = Sans caméra :
sheet-safety = Personne n’a besoin de la clé pour vous aider. Ne la photographiez, ne l’envoyez et ne la dictez jamais.

## The gift record

record-title = Justificatif du cadeau
record-subtitle = Pour les papiers de la personne qui offre
record-value = Valeur de marché le { $day }, jour du scellement
record-no-source = Aucune source de prix
record-no-price = Il n’y avait pas de prix fiable de { $symbols } pour ce jour au moment de l’impression. La valeur est à chercher ailleurs.
record-price-recorded = Prix enregistré pour ce jour
record-price-older = Dernier prix connu au moment du scellement, d’un autre jour
record-price-now = Prix au moment de l’impression, du même jour
record-price-now-older = Prix au moment de l’impression, d’un autre jour
record-price = 1 { $symbol } = US$ { $price } (Chainlink, tour { $round }, { $moment })
record-basis = { $how } : { $prices }.
record-given = Offert
record-sealed = Scellé
record-opens = S’ouvre
record-given-by = Offert par
record-giver = Compte qui offre
record-given-to = Offert à
record-sealed-for = Scellé pour
record-network = Réseau
record-network-words = { $network } (chaîne { $number })
record-number = Numéro du cadeau
record-contract = Contrat
record-transaction = Transaction (code)
record-seen-at = À voir sur
record-base-units = unités de base de { $token }
record-moment = { $day }, { $time } UTC
record-disclaimer = Ce justificatif n’est ni un conseil fiscal ni une expertise. Il indique ce qui est sur la chaîne publique et, quand il y avait une source de prix, une valeur calculée à partir d’elle. La façon d’évaluer et de déclarer un cadeau, par qui et quand, dépend du droit qui s’applique à vous : demandez à un professionnel.
