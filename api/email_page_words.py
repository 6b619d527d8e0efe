# ruff: noqa: E501, RUF001 - whole sentences, with the signs of each language
"""Words of the page that answers for the number of an email, in ten languages."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageWords:
    """Words of one language. `found` has the places day, about and kind; `legacy` and `gift` have number and chain."""

    title: str
    ask: str
    label: str
    button: str
    found: str
    legacy: str
    gift: str
    unknown: str
    links: str
    copy: str
    no_proof: str
    limited: str
    later: str
    deadline: str
    news: str
    instructions: str
    owner: str
    announced: str
    opened: str


WORDS: Mapping[str, PageWords] = {
    "en": PageWords(
        "The number of an email",
        "Each of our emails has a number in its last lines. Type it here to learn which email we wrote under it.",
        "Number of the email",
        "Look it up",
        "On {day} we wrote an email about {about}: {kind}.",
        "legacy {number} on {chain}",
        "gift {number} on {chain}",
        "We know nothing about this number. Perhaps a character differs: please compare it. We also forget the "
        "numbers of people whose address was deleted. If the number is exactly right, the email may be a forgery: "
        "click nothing in it, and telephone the person it is about.",
        "Our emails link only to these addresses:",
        "If yours leads elsewhere, or asks for a key, a password or money, it is a forgery by fraudsters. To be "
        "safe, click nothing: type one of these addresses yourself.",
        "We write to people who made a legacy, and to people for whom somebody made a legacy or a gift. A forgery "
        "can carry a number of ours, too, so this page cannot tell you that the email before you is from us. If in "
        "doubt, telephone the person it is about.",
        "Very many questions came from your network in this minute. Please try again in a minute.",
        "We cannot look it up right now. Please try again in a few minutes.",
        "a reminder of a deadline",
        "news of what happened",
        "instructions to keep",
        "a notice to the owner",
        "a gift that waits",
        "a gift that can be opened",
    ),
    "de": PageWords(
        "Die Nummer einer E-Mail",
        "Jede unserer E-Mails hat in ihren letzten Zeilen eine Nummer. Geben Sie sie hier ein, um zu erfahren, welche "
        "E-Mail wir unter ihr geschrieben haben.",
        "Nummer der E-Mail",
        "Nachsehen",
        "Am {day} haben wir eine E-Mail über {about} geschrieben: {kind}.",
        "das Vermächtnis {number} auf {chain}",
        "das Geschenk {number} auf {chain}",
        "Über diese Nummer wissen wir nichts. Vielleicht weicht ein Zeichen ab: Bitte vergleichen Sie sie. Wir "
        "vergessen auch die Nummern von Personen, deren Adresse gelöscht wurde. Stimmt die Nummer genau, ist die "
        "E-Mail vielleicht eine Fälschung: Klicken Sie nichts darin an, und rufen Sie die Person an, um die es "
        "geht.",
        "Links in unseren E-Mails führen nur zu diesen Adressen:",
        "Führt Ihre E-Mail anderswohin oder verlangt sie einen Schlüssel, ein Passwort oder Geld, so ist sie eine "
        "Fälschung von Betrügern. Gehen Sie sicher und klicken Sie nichts an: Geben Sie eine dieser Adressen "
        "selbst ein.",
        "Wir schreiben Menschen, die ein Vermächtnis gemacht haben, und Menschen, für die jemand ein Vermächtnis "
        "oder ein Geschenk gemacht hat. Auch eine Fälschung kann eine Nummer von uns tragen. Diese Seite kann "
        "Ihnen deshalb nicht sagen, dass die E-Mail vor Ihnen von uns ist. Im Zweifel rufen Sie die Person an, um "
        "die es geht.",
        "Aus Ihrem Netz kamen in dieser Minute sehr viele Anfragen. Bitte versuchen Sie es in einer Minute noch einmal.",
        "Wir können gerade nicht nachsehen. Bitte versuchen Sie es in einigen Minuten noch einmal.",
        "eine Erinnerung an eine Frist",
        "eine Nachricht über etwas, das geschehen ist",
        "eine Anleitung zum Aufheben",
        "ein Hinweis an die Person, der es gehört",
        "ein Geschenk, das wartet",
        "ein Geschenk, das sich öffnen lässt",
    ),
    "fr": PageWords(
        "Le numéro d’un e-mail",
        "Chacun de nos e-mails porte un numéro dans ses dernières lignes. Saisissez-le ici pour savoir quel e-mail nous "
        "avons écrit sous ce numéro.",
        "Numéro de l’e-mail",
        "Rechercher",
        "Le {day}, nous avons écrit un e-mail concernant {about} : {kind}.",
        "le legs {number} sur {chain}",
        "le cadeau {number} sur {chain}",
        "Nous ne savons rien de ce numéro. Un caractère est peut-être différent : veuillez le comparer. Nous "
        "oublions aussi les numéros des personnes dont l’adresse a été supprimée. Si le numéro est exactement le "
        "même, l’e-mail est peut-être un faux : n’y cliquez sur rien et téléphonez à la personne dont il parle.",
        "Les liens de nos e-mails mènent uniquement à ces adresses :",
        "Si le vôtre mène ailleurs, ou demande une clé, un mot de passe ou de l’argent, c’est un faux, envoyé par "
        "des escrocs. Par prudence, ne cliquez sur rien : saisissez vous-même une de ces adresses.",
        "Nous écrivons aux personnes qui ont fait un legs, et à celles pour qui quelqu’un a fait un legs ou un "
        "cadeau. Un faux peut porter lui aussi un de nos numéros. Cette page ne peut donc pas vous dire que "
        "l’e-mail que vous lisez vient de nous. En cas de doute, téléphonez à la personne dont il parle.",
        "De très nombreuses demandes sont venues de votre réseau dans cette minute. Veuillez réessayer dans une minute.",
        "Nous ne pouvons pas vérifier pour le moment. Veuillez réessayer dans quelques minutes.",
        "un rappel d’échéance",
        "des nouvelles de ce qui s’est passé",
        "des instructions à conserver",
        "un avis au propriétaire",
        "un cadeau qui attend",
        "un cadeau qui peut être ouvert",
    ),
    "es": PageWords(
        "El número de un correo",
        "Cada uno de nuestros correos lleva un número en sus últimas líneas. Escríbalo aquí para saber qué correo "
        "escribimos con él.",
        "Número del correo",
        "Consultar",
        "El {day} escribimos un correo sobre {about}: {kind}.",
        "el legado {number} en {chain}",
        "el regalo {number} en {chain}",
        "No sabemos nada de este número. Quizá un carácter sea distinto: compárelo, por favor. También olvidamos "
        "los números de las personas cuya dirección fue borrada. Si el número es exactamente ese, el correo puede "
        "ser una falsificación: no pulse nada en él y llame por teléfono a la persona de la que trata.",
        "Los enlaces de nuestros correos llevan solo a estas direcciones:",
        "Si el suyo lleva a otro sitio, o pide una clave, una contraseña o dinero, es una falsificación de "
        "estafadores. Por seguridad, no pulse nada: escriba usted una de estas direcciones.",
        "Escribimos a quienes hicieron un legado y a las personas para las que alguien hizo un legado o un regalo. "
        "Una falsificación también puede llevar un número nuestro. Por eso esta página no puede decirle que el "
        "correo que tiene delante sea nuestro. En caso de duda, llame por teléfono a la persona de la que trata.",
        "En este minuto han llegado muchísimas consultas desde su red. Inténtelo de nuevo dentro de un minuto.",
        "Ahora no podemos consultarlo. Inténtelo de nuevo dentro de unos minutos.",
        "un recordatorio de un plazo",
        "noticias de lo ocurrido",
        "instrucciones para guardar",
        "un aviso para el titular",
        "un regalo que espera",
        "un regalo que se puede abrir",
    ),
    "it": PageWords(
        "Il numero di un’email",
        "Ogni nostra email ha un numero nelle ultime righe. Lo scriva qui per sapere quale email abbiamo scritto con quel "
        "numero.",
        "Numero dell’email",
        "Cerca",
        "Il giorno {day} abbiamo scritto un’email su {about}: {kind}.",
        "il lascito {number} su {chain}",
        "il regalo {number} su {chain}",
        "Non sappiamo nulla di questo numero. Forse un carattere è diverso: lo confronti, per favore. "
        "Dimentichiamo anche i numeri delle persone il cui indirizzo è stato cancellato. Se il numero è "
        "esattamente quello, l’email può essere un falso: non prema nulla in essa e telefoni alla persona di cui "
        "parla.",
        "I link delle nostre email portano solo a questi indirizzi:",
        "Se la Sua porta altrove, o chiede una chiave, una password o denaro, è un falso di truffatori. Per "
        "sicurezza non prema nulla: scriva Lei stesso uno di questi indirizzi.",
        "Scriviamo a chi ha fatto un lascito e alle persone per le quali qualcuno ha fatto un lascito o un regalo. "
        "Anche un falso può portare un nostro numero. Perciò questa pagina non può dirLe che l’email davanti a Lei "
        "sia nostra. Nel dubbio, telefoni alla persona di cui parla.",
        "In questo minuto sono arrivate moltissime richieste dalla Sua rete. Riprovi tra un minuto.",
        "In questo momento non possiamo cercare. Riprovi tra qualche minuto.",
        "un promemoria di una scadenza",
        "notizie su ciò che è accaduto",
        "istruzioni da conservare",
        "un avviso al proprietario",
        "un regalo che aspetta",
        "un regalo che si può aprire",
    ),
    "pt": PageWords(
        "O número de um e-mail",
        "Cada e-mail nosso tem um número nas últimas linhas. Digite-o aqui para saber que e-mail escrevemos com ele.",
        "Número do e-mail",
        "Consultar",
        "Em {day} escrevemos um e-mail sobre {about}: {kind}.",
        "o legado {number} em {chain}",
        "o presente {number} em {chain}",
        "Não sabemos nada sobre este número. Talvez um caractere seja diferente: compare-o, por favor. Também "
        "esquecemos os números das pessoas cujo endereço foi apagado. Se o número estiver exatamente certo, o "
        "e-mail pode ser uma falsificação: não clique em nada nele e telefone para a pessoa de quem ele fala.",
        "Os links dos nossos e-mails levam apenas a estes endereços:",
        "Se o seu levar a outro lugar, ou pedir uma chave, uma senha ou dinheiro, é uma falsificação feita por "
        "fraudadores. Por segurança, não clique em nada: digite um destes endereços.",
        "Escrevemos a quem fez um legado e às pessoas para quem alguém fez um legado ou um presente. Uma "
        "falsificação também pode trazer um número nosso. Por isso, esta página não pode dizer que o e-mail à sua "
        "frente é nosso. Em caso de dúvida, telefone para a pessoa de quem ele fala.",
        "Muitas consultas vieram da sua rede neste minuto. Tente novamente daqui a um minuto.",
        "Não podemos consultar agora. Tente novamente daqui a alguns minutos.",
        "um lembrete de prazo",
        "notícias do que aconteceu",
        "instruções para guardar",
        "um aviso ao proprietário",
        "um presente que espera",
        "um presente que pode ser aberto",
    ),
    "ja": PageWords(
        "メールの番号",
        "当方のメールには、終わりの行に番号があります。ここに入力すると、その番号でどのメールを書いたかが分かります。",
        "メールの番号",
        "調べる",
        "{day}に、{about}についてメールを書きました：{kind}。",
        "{chain}の遺産計画 {number}",
        "{chain}の贈り物 {number}",
        "この番号については何も分かりません。文字が違っているかもしれません。もう一度見比べてください。アドレスが削除された方の番号も、当方には残りません。番号が完全に合っている場合、そのメールは偽物かもしれません。"
        "メールの中では何も押さず、メールに書かれている方に電話で確かめてください。",
        "当方のメールのリンク先は、次のアドレスだけです：",
        "お手元のメールが別の場所へ導く場合や、鍵、パスワード、お金を求める場合は、詐欺師による偽物です。念のため何も押さず、上のアドレスのどれかをご自身で入力してください。",
        "当方は、遺産計画を作った方と、どなたかが遺産計画や贈り物を用意した相手の方にメールを書きます。偽物のメールにも当方の番号が書かれていることがあります。そのため、お手元のメールが当方からのものだとは、"
        "このページでは言えません。迷われたら、メールに書かれている方に電話で確かめてください。",
        "この1分間に、お使いのネットワークから非常に多くの問い合わせがありました。1分後にもう一度お試しください。",
        "今は調べることができません。数分後にもう一度お試しください。",
        "期限のお知らせ",
        "起きたことのお知らせ",
        "保管していただく手引き",
        "所有者へのお知らせ",
        "待っている贈り物",
        "開けられる贈り物",
    ),
    "ko": PageWords(
        "이메일의 번호",
        "저희 이메일에는 마지막 줄에 번호가 있습니다. 여기에 입력하시면 그 번호로 어떤 이메일을 썼는지 알 수 있습니다.",
        "이메일의 번호",
        "찾아보기",
        "{day}에 {about}에 관한 이메일을 썼습니다: {kind}.",
        "{chain}의 상속 계획 {number}",
        "{chain}의 선물 {number}",
        "이 번호에 대해 아는 것이 없습니다. 글자가 다를 수 있으니 비교해 주세요. 주소가 삭제된 분의 번호도 저희에게 남지 않습니다. 번호가 정확하다면 이메일이 가짜일 수 있습니다. 이메일에서 "
        "아무것도 누르지 마시고, 이메일에 나오는 분께 전화로 확인하세요.",
        "저희 이메일의 링크는 다음 주소로만 연결됩니다:",
        "받으신 이메일이 다른 곳으로 연결되거나 키, 비밀번호, 돈을 요구하면 사기꾼이 만든 가짜입니다. 안전을 위해 아무것도 누르지 마시고, 위 주소 중 하나를 직접 입력하세요.",
        "저희는 상속 계획을 만든 분과, 누군가가 상속 계획이나 선물을 마련해 준 분께 이메일을 씁니다. 가짜 이메일에도 저희 번호가 적혀 있을 수 있습니다. 그래서 이 페이지는 받으신 이메일이 "
        "저희 것이라고 말할 수 없습니다. 의심스러우면 이메일에 나오는 분께 전화로 확인하세요.",
        "이 1분 동안 사용하시는 네트워크에서 문의가 매우 많았습니다. 1분 뒤에 다시 시도해 주세요.",
        "지금은 찾아볼 수 없습니다. 몇 분 뒤에 다시 시도해 주세요.",
        "기한 알림",
        "일어난 일에 대한 소식",
        "보관할 안내",
        "소유자에게 드리는 알림",
        "기다리는 선물",
        "열 수 있는 선물",
    ),
    "zh": PageWords(
        "邮件编号",
        "我们的每封邮件在最后几行都有一个编号。请在此输入，即可了解我们用它写过哪封邮件。",
        "邮件编号",
        "查询",
        "{day}，我们写过一封关于{about}的邮件：{kind}。",
        "{chain} 上的遗产计划 {number}",
        "{chain} 上的礼物 {number}",
        "我们对此编号一无所知。可能有字符不同，请核对。地址已被删除的人，其编号我们也不再保留。如果编号完全正确，这封邮件可能是伪造的：请不要点击其中任何内容，并打电话给邮件所说的那个人。",
        "我们邮件中的链接只通向以下地址：",
        "如果您的邮件通向别处，或索要密钥、密码或钱款，它就是骗子伪造的邮件。为安全起见，请不要点击任何内容，而是自己输入以上地址之一。",
        "我们写信给做了遗产计划的人，以及有人为其做了遗产计划或准备了礼物的人。伪造的邮件也可能带有我们的编号。因此，本页无法告诉您，您面前的邮件来自我们。如有疑问，请打电话给邮件所说的那个人。",
        "这一分钟内，来自您网络的查询非常多。请一分钟后再试。",
        "现在无法查询。请几分钟后再试。",
        "期限提醒",
        "已发生之事的消息",
        "请保存的说明",
        "给所有者的通知",
        "等待中的礼物",
        "可以打开的礼物",
    ),
    "ar": PageWords(
        "رقم رسالة",
        "في آخر سطور كل رسالة من رسائلنا رقم. اكتبه هنا لتعرف أي رسالة كتبناها به.",
        "رقم الرسالة",
        "ابحث",
        "في {day} كتبنا رسالة عن {about}: {kind}.",
        "الإرث {number} على {chain}",
        "الهدية {number} على {chain}",
        "لا نعرف شيئًا عن هذا الرقم. ربما اختلف حرف فيه: قارنه من فضلك. وننسى أيضًا أرقام من حُذف عنوانهم. إذا كان "
        "الرقم صحيحًا تمامًا، فقد تكون الرسالة مزيفة: لا تضغط على شيء فيها، واتصل هاتفيًا بالشخص الذي تتحدث عنه.",
        "روابط رسائلنا تؤدي إلى هذه العناوين فقط:",
        "إذا كانت رسالتك تؤدي إلى مكان آخر، أو تطلب مفتاحًا أو كلمة مرور أو مالًا، فهي رسالة مزيفة من محتالين. "
        "للأمان لا تضغط على شيء: اكتب أحد هذه العناوين بنفسك.",
        "نكتب إلى من وضعوا إرثًا، وإلى من وضع لهم أحد إرثًا أو هدية. قد تحمل الرسالة المزيفة أيضًا رقمًا من "
        "أرقامنا. لذلك لا تستطيع هذه الصفحة أن تقول لك إن الرسالة التي أمامك منا. عند الشك اتصل هاتفيًا بالشخص "
        "الذي تتحدث عنه.",
        "وصلت أسئلة كثيرة جدًا من شبكتك في هذه الدقيقة. حاول مرة أخرى بعد دقيقة.",
        "لا نستطيع البحث الآن. حاول مرة أخرى بعد بضع دقائق.",
        "تذكير بموعد",
        "خبر عمّا حدث",
        "تعليمات للحفظ",
        "إشعار إلى المالك",
        "هدية تنتظر",
        "هدية يمكن فتحها",
    ),
}
