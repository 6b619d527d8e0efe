## Occasions, with messages a giver may start from: greetings of the language, not word by word

occasion-gift = هدية
gift-1 = هدية صغيرة مختومة لك حتى يوم فتحها.
gift-2 = خبّأت لك هذه الهدية، لتكون ذكرى مني حين يأتي يومها.
gift-3 = هدية لك، مع كل الحب.
occasion-birthday = عيد ميلاد
birthday-1 = عيد ميلاد سعيد! هذه الهدية تحتاج إلى قليل من الصبر، لكنها لك.
birthday-2 = عام جديد من عمرك: أجمل سبب للاحتفال. كل عام وأنت بخير!
birthday-3 = جعل الله عامك الجديد عام خير وفرح. عيد ميلاد سعيد، مع محبتي.
occasion-wedding = زفاف
wedding-1 = ألف مبروك لكما، ولكل ما ستبنيانه معًا.
wedding-2 = أتمنى لكما حياة مليئة بالأيام الحلوة والهناء.
wedding-3 = بارك الله لكما، مع محبتي اليوم وفي كل السنين القادمة.
occasion-anniversary = ذكرى زواج
anniversary-1 = كل عام وأنتما معًا، وعقبى لسنين كثيرة قادمة. ذكرى زواج سعيدة!
anniversary-2 = قصتكما ما زالت أجمل قصة عندي. ذكرى زواج سعيدة.
anniversary-3 = لنا نحن الاثنين، مع كل حبي.
occasion-new-baby = مولود جديد
new-baby-1 = أهلًا بك في هذه الدنيا! هذه الهدية ستنتظرك سنة بعد سنة.
new-baby-2 = صغار اليوم كبار الغد: هدية للسنين القادمة.
new-baby-3 = فرحتنا بقدومك لا توصف.
occasion-graduation = تخرّج
graduation-1 = ألف مبروك النجاح! نحن فخورون بك جدًا.
graduation-2 = بداية موفّقة لكل خطوة قادمة.
graduation-3 = مبارك التخرّج، تقديرًا لكل جهد لم يره أحد.
occasion-bar-bat-mitzvah = بار متسفا أو بات متسفا
bar-bat-mitzvah-1 = ألف مبروك! نحن فخورون بك اليوم.
bar-bat-mitzvah-2 = يوم لا يُنسى، وهدية للسنين التي تليه.
bar-bat-mitzvah-3 = مع محبتنا في يومك هذا، ومن نجاح إلى نجاح.
occasion-thank-you = شكر
thank-you-1 = شكرًا لك على ما لا تتسع له بطاقة.
thank-you-2 = كنت معي وقت الحاجة. شكرًا لك من القلب.
thank-you-3 = شكر صغير على معروف كبير.
occasion-new-home = بيت جديد
new-home-1 = مبارك البيت الجديد! جعله الله عامرًا بالأحباب.
new-home-2 = باب جديد ومفتاح جديد وبداية جديدة. منزل مبارك!
new-home-3 = للبيت الجديد، ولكل ما قد يحتاج إليه.
occasion-someday = يوم سيأتي
someday-1 = بلا مناسبة، فقط لأنك أنت. هدية تكبر حتى يوم فتحها.
someday-2 = ليوم الحاجة إليها، أو ليوم الفرح بها.
someday-3 = خطرت ببالي اليوم. وسيأتي يوم تصلك فيه هذه الكلمات.
occasion-valentine = عيد الحب
valentine-1 = لك، اليوم وكل يوم.
valentine-2 = خُتم قلبي لك قبل هذه الهدية بزمن طويل.
valentine-3 = حبي كله لك، دائمًا.
occasion-new-year = رأس السنة
new-year-1 = أتمنى لك في العام الجديد الصحة والتوفيق وصحبة الأحباب!
new-year-2 = كل بداية وأنت بخير. سنة جديدة سعيدة!
new-year-3 = جعلها الله سنة خير وسلام عليك.
occasion-christmas = عيد الميلاد المجيد
christmas-1 = عيد ميلاد مجيد! هذه الهدية تبقى تحت الشجرة مدة أطول قليلًا.
christmas-2 = أتمنى لك في عيد الميلاد السلام والدفء وصحبة الأحباب.
christmas-3 = مع محبتي في عيد الميلاد وطوال العام.
occasion-hanukkah = حانوكا
hanukkah-1 = حانوكا سعيد! عسى أن يمتلئ بيتك بالنور.
hanukkah-2 = ثماني ليالٍ من النور، وهدية تنتظر يومها.
hanukkah-3 = أتمنى لك ولعائلتك عيد حانوكا مضيئًا وسعيدًا.
occasion-eid = عيد الفطر أو الأضحى
eid-1 = عيد مبارك! أعاده الله عليك بالفرح والسلام.
eid-2 = أطيب التهاني لك ولعائلتك بمناسبة العيد. كل عام وأنتم بخير.
eid-3 = عيد مبارك، مع محبتي وأطيب أمنياتي.
occasion-diwali = ديوالي
diwali-1 = ديوالي سعيد! عسى أن يمتلئ عامك بالنور.
diwali-2 = أتمنى لك ولعائلتك النور والحلاوة والخير الوفير.
diwali-3 = أتمنى لك عيد ديوالي مضيئًا وسعيدًا.
occasion-easter = عيد الفصح
easter-1 = فصح مجيد! بعض الأشياء تستحق البحث عنها.
easter-2 = ربيع وشمس ومفاجأة صغيرة لك.
easter-3 = أتمنى لك ولعائلتك عيد فصح سعيدًا.
occasion-lunar-new-year = رأس السنة القمرية
lunar-new-year-1 = سنة قمرية سعيدة! عسى أن يجد الحظ طريقه إليك.
lunar-new-year-2 = أتمنى لك الصحة والرخاء والسعادة في السنة الجديدة.
lunar-new-year-3 = للسنة الجديدة: شيء أحمر، وشيء يجلب الحظ، وشيء يكبر.

## The giver's wallet

seal-a-gift = ختم هدية
your-wallet = محفظتك
giver-no-wallet = لم نجد محفظة بعد. على الهاتف، يُرجى فتح هذه الصفحة في المتصفح الموجود داخل تطبيق محفظتك؛ وعلى الحاسوب، يُرجى استخدام المتصفح الذي فيه محفظتك.
giver-connect = توصيل { $wallet }
giver-account = { $wallet }: { $account } على { $network }
giver-connect-first = يُرجى توصيل محفظة أولًا.
giver-connect-above = يُرجى توصيل محفظتك أولًا: تجدها في أعلى هذه الصفحة.
giver-no-chain = لا توجد شبكة متاحة هنا.
giver-declined = رفضت المحفظة. لم يُرسل شيء.
giver-refused = ترفض الشبكة ذلك. هل في محفظتك ما يكفي؟
giver-too-little = ليس في محفظتك ما يكفي.
giver-failed = لم ينجح ذلك. يُرجى المحاولة مجددًا.
giver-was-asked = طُلب من محفظتك ختم هدية حين أُعيد تحميل هذه الصفحة. يُرجى النظر فيها أولًا: ما أُرسل فقد خُتم، وورقته المطبوعة صالحة. وختمها مجددًا يصنع هدية ثانية.

## The form

form-gift = الهدية
form-occasion = المناسبة
form-language = لغة الهدية
form-to = إلى (اسم)
form-from = من (اسمك)
form-note = رسالتك
form-room = { $used } من { $most } حرفًا على الأكثر
form-inside = ما في الداخل
form-asset = نوع الهدية
form-amount = المقدار
form-opens = تُفتح يوم
form-chain-clock = حسب ساعة الشبكة، والوقت فيها الآن { $moment }.
form-how = طريقة فتحها
form-paper = بمفتاح مطبوع: ورقة تُطبع ثم تُسلّم باليد
form-wallet = بمحفظة موجودة لدى صاحب الهدية: عنوانها معروف لديك
form-email = ببريد صاحب الهدية: يُرسل إليه رمز عند فتحها
form-wallet-address = عنوان محفظة صاحب الهدية
form-email-address = بريد صاحب الهدية
form-continue = متابعة
letter-long-name = الحد الأقصى للاسم { $most } حرفًا.
letter-long-note = الحد الأقصى للرسالة { $most } حرفًا.
letter-hidden = في أحد الاسمين أو في الرسالة حرف تحكّم أو حرف غير مرئي.
letter-address = أحد الاسمين يشبه عنوان موقع أو بريد. يُرجى كتابته بشكل آخر.
letter-marks = في أحد الاسمين علامات كثيرة جدًا فوق حرف واحد.
letter-too-long = الاسمان والرسالة أطول مما يتسع له الرابط.
form-no-day = يُرجى اختيار موعد فتح الهدية.
form-future = يجب أن يكون موعد الفتح في المستقبل.
form-too-far = يجب أن تُفتح الهدية خلال { $years } سنة. يُرجى التحقق من السنة: لا يمكن لأحد تغييرها لاحقًا.
form-two-readings = يمكن قراءة «{ $typed }» بطريقتين. يُرجى كتابة { $thousands } إن كان المقصود بالآلاف، وإلا فكتابة { $small }.
form-whole-amount = يُرجى كتابة المقدار بعملة { $symbol }: عدد صحيح، مثل 2.
form-bad-amount = يُرجى كتابة المقدار بعملة { $symbol }: مثل { $example }، بعدد منازل عشرية لا يزيد على { $decimals } ودون فاصل للآلاف.
form-no-amount = يُرجى كتابة المقدار.
form-no-address = هذا ليس عنوان محفظة.
form-no-email = هذا ليس عنوان بريد إلكتروني.

## The review

review = يُرجى قراءة هذا مرة أخرى
review-gift = الهدية
review-amount = { $gift } على { $network }
review-for = إلى
review-for-paper = كل من لديه الورقة المطبوعة. يُرجى حفظها كما تُحفظ النقود.
review-for-email = كل من يقرأ صندوق البريد { $email }. تُنشأ له محفظة إن لم تكن له محفظة بعد.
review-for-wallet = المحفظة { $address }. هي وحدها تفتح الهدية.
review-opens = تُفتح يوم
review-lands = أين تصل
review-lands-own = عند الفتح يختار صاحب الهدية أين تصل: إلى محفظة خاصة به، أو إلى محفظة عنوان بريده.
review-lands-email = إلى محفظة عنوان بريد صاحب الهدية، التي يحفظها مزوّد تسجيل الدخول Turnkey. ولا يمكن نقلها منها إلا في تطبيق تابع لمشغّلي { $site }؛ ولا يفتح تلك المحفظة أي تطبيق محفظة آخر. يُرجى سؤالهم عن التطبيق، وإخبار صاحب الهدية به.
review-moment = { $moment }، بتوقيت منطقتك
review-fee = رسوم الشبكة
review-fee-words = تُدفع من محفظتك بعملة ETH. تعرض محفظتك مقدارها قبل موافقتك.
review-final = بعد الختم لا يمكن تغيير شيء من هذا. لا يستطيع أحد استعادة الهدية، ولا فتحها قبل موعدها: لا أنت ولا نحن.
review-seal = ختم الهدية
review-change = تعديل شيء
sheet-first = طباعة ورقة المفتاح أولًا
sheet-first-words = المفتاح موجود في هذه الصفحة فقط، إلى أن تُغلق. ودون الورقة لا يستطيع أحد فتح الهدية أبدًا.
sheet-printed = طُبعت الورقة، ويمكنني قراءة المفتاح عليها.
sheet-not-printed = يُرجى طباعة الورقة أولًا، ثم تأكيد ذلك أعلاه.
sheet-throw-away = إذا طبعت تلك الورقة، فيُرجى التخلص منها: لم يُختم شيء لمفتاحها.

## Sealing

sealing-sign-recipient = يُرجى التوقيع في محفظتك لتأكيد صاحب الهدية. قد يستغرق بعدها العثور على محفظته أو إنشاؤها أكثر من دقيقة.
sealing-confirm = يُرجى تأكيد المعاملة { $number } من { $all } في محفظتك.
sealing-on-its-way = المعاملة { $number } من { $all } في الطريق.
sealing-too-late = حلّ موعدها في هذه الأثناء. يُرجى اختيار وقت لاحق.
sealing-refused = رفضت الشبكة ذلك. لم يُختم شيء.
sealed = خُتمت الهدية { $number }. تُفتح في { $moment }.
sealed-not-kept = هذا المتصفح لا يحفظ شيئًا: يُرجى حفظ الرابط الآن.
seal-another = ختم هدية أخرى

## Afterwards

kept-gift = الهدية { $number }
kept-title = هدايا خُتمت هنا
kept-some = يتذكر هذا المتصفح روابط الهدايا التي ختمتها فيه. ولا يتذكرها أحد غيره.
kept-none = سيتذكر هذا المتصفح روابط الهدايا التي تُختم فيه. ولن يتذكرها أحد غيره.
kept-item-for = { $occasion } إلى { $name }، الهدية { $number }
kept-item = { $occasion }، الهدية { $number }
kept-show = عرض
kept-show-item = عرض { $item }
kept-forget = نسيان
kept-forget-item = نسيان { $item }
kept-forget-sure = نسيان نهائي: لا يمكن صنع الرابط مجددًا
list-title = ما ختمته
list-none = لم تختم هذه المحفظة شيئًا حتى الآن.
list-unread = تتعذر الآن قراءة قائمة ما ختمته. هذا ما يتذكره متصفحك.
list-broken = تتعذر الآن قراءة بقية القائمة.
list-rest = يتذكر متصفحك هذه أيضًا: من محفظة أخرى، أو أقدم، أو جديدة جدًا، أو لم تعد على السلسلة.
list-more = عرض المزيد
list-regular = قفل زمني { $number }
list-soft = قفل زمني مرن { $number }
list-sealed-until = مختوم. يُفتح في { $moment }.
list-sealed = مختوم. لم يُحدَّد يوم للفتح.
list-open = يمكن فتحه منذ { $moment }.
list-ended = انتهى. سُحب ما كان فيه.
link-words = رابط الهدية. كل من لديه الرابط يقرأ رسالتك؛ ولا يفتح الهدية إلا صاحبها.
link-copy = نسخ الرابط
link-copied = تم النسخ.
link-not-allowed = لم يسمح متصفحك بذلك. يُرجى نسخ الرابط من هنا.
page-sheet = ورقة المفتاح
page-card = بطاقة الهدية
page-record = سجل الهدية
page-as-printed = { $page }، كما في الطباعة
page-print = طباعة
page-save = حفظ بصيغة PNG
page-not-saved = تعذّر الحفظ. لم يُحفظ شيء: يُرجى الطباعة.
page-withheld = يحجب هذا المتصفح الصورة عن الصفحة، منعًا للتتبع. لم يُحفظ شيء: يُرجى الطباعة.
page-not-drawn = { $page }: يتعذّر الرسم الآن. يُرجى عرض الهدية مجددًا أدناه.
page-does-not-fit = { $page }: { $why }
record-needs-wallet = يُرجى توصيل محفظتك للحصول على سجل الهدية أيضًا.
fonts-missing = تعذّر تحميل الخطوط. يُرجى المحاولة مجددًا.

## Telling the recipient by email

notify = إخبار صاحب الهدية بالبريد (اختياري)
notify-email = بريد صاحب الهدية
notify-when = متى
notify-now = الآن، وفي يوم الفتح
notify-scheduled = في يوم أختاره، وفي يوم الفتح
notify-opening = في يوم الفتح فقط
notify-day = يوم الإخبار
notify-privacy = يُحفظ العنوان والرابط مشفّرين حتى تُفتح الهدية، ولا يُرسلان إلى أحد آخر.
notify-go = طلب إخبار صاحب الهدية
notify-no-email = يُرجى كتابة بريد صاحب الهدية.
notify-no-day = يُرجى اختيار اليوم والوقت.
notify-bad-day = يُرجى اختيار وقت من الآن فصاعدًا، قبل فتح الهدية في { $moment }.
notify-done = سنخبر صاحب الهدية.
notify-done-on = سنخبر صاحب الهدية في { $moment }، وفي يوم الفتح.

## The printed pages

print-for = إلى { $name }
print-from = من { $name }
print-opens = تُفتح يوم { $day }
print-scan = مسح الرمز يعرض هديتك
print-scan-opens = مسح الرمز يعرض هديتك. تُفتح يوم { $day }.
print-note-too-long = أسطر الرسالة أكثر مما تتسع له البطاقة، وهو { $most }.
print-code-too-long = الرسالة أطول مما يتسع له الرمز المطبوع.
print-letter-too-long = الاسمان والرسالة أطول مما يتسع له الرمز على الورقة، وهو { $room } بايت (الحرف اللاتيني البسيط يأخذ بايتًا واحدًا، وغيره من اثنين إلى أربعة).
sheet-key = مفتاح هذه الهدية
sheet-key-words = كل من يقرأ هذا المفتاح يمكنه أخذ الهدية. يُرجى عدم إظهاره لأحد، وعدم إدخاله إلا في الصفحة التي يفتحها رمز الغلاف، في يوم الفتح أو بعده.
sheet-opens-for = يفتح ما خُتم للعنوان { $address }
sheet-closing = للإغلاق: يُطوى هذا الوجه خلف الغلاف، ثم يُطوى الوجه السفلي فوقه، وتُلصق الحافة.
sheet-how = كيف تُفتح هديتك
sheet-look = المشاهدة
sheet-look-words = يُرجى مسح رمز الغلاف بهاتفك. تعرض الصفحة ما في الداخل وموعد الفتح.
sheet-wait = الانتظار
sheet-wait-words = يُرجى إبقاء هذه الورقة مغلقة وآمنة كالنقود. لا يستطيع أحد تعويضها، ولا حتى من أهداها.
sheet-open = الفتح
sheet-open-words = في يوم الفتح أو بعده، يُرجى فتح الورقة المطوية وفتح الصفحة مجددًا، ثم مسح المفتاح أو كتابته فيها.
sheet-keep = الحفظ
sheet-keep-words = تصبح الهدية بعدها في محفظة هذا المفتاح. يُرجى الاحتفاظ بالورقة إلى أن تُنقل الهدية إلى محفظة تخصك.
sheet-no-camera = دون كاميرا، العنوان هو
sheet-safety = من يساعدك لا يحتاج إلى المفتاح. يُرجى عدم تصويره أو إرساله أو إملائه، أيًّا كان من يطلبه.

## The gift record

record-title = سجل الهدية
record-subtitle = لأوراق المُهدي
record-value = القيمة السوقية العادلة في { $day }، يوم الختم
record-no-source = لا مصدر للسعر
record-no-price = لم يتوفر عند الطباعة سعر موثوق لـ { $symbols } في ذلك اليوم. يجب إيجاد القيمة من مصدر آخر.
record-price-recorded = السعر المسجّل لذلك اليوم
record-price-older = أحدث سعر عند الختم، من يوم آخر
record-price-now = السعر وقت الطباعة، في اليوم نفسه
record-price-now-older = السعر وقت الطباعة، من يوم آخر
record-price = 1 { $symbol } = US$ { $price } (Chainlink، الجولة { $round }، { $moment })
record-basis = { $how }: { $prices }.
record-given = ما أُهدي
record-sealed = خُتمت في
record-opens = تُفتح في
record-given-by = أُهديت من
record-giver = حساب المُهدي
record-given-to = أُهديت إلى
record-sealed-for = مختومة لـ
record-network = الشبكة
record-network-words = { $network } (معرّف السلسلة { $number })
record-number = رقم الهدية
record-contract = العقد
record-transaction = رمز المعاملة
record-seen-at = رابط العرض
record-base-units = وحدة أساسية من { $token }
record-moment = { $day }، { $time } UTC
record-disclaimer = هذا السجل ليس نصيحة ضريبية ولا تقييمًا رسميًا. إنه يذكر ما هو مسجّل على سلسلة الكتل العامة، ويذكر قيمة محسوبة من مصدر للسعر إن وُجد. أما كيف تُقيَّم الهدية ويُصرَّح بها، ومن يفعل ذلك ومتى، فيتوقف على القانون الساري عليك: يُرجى استشارة مختص.
