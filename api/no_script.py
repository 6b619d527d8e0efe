"""Words of gift pages for browsers that do not run their script, in the reader's language if it is known."""

from html import escape

from api.languages import find_language

_WORDS = {
    "en": "This page does not work in your browser yet. Nothing is lost. Please allow scripts in your browser, or use "
    "a newer one. If you did, please load this page again.",
    "es": "Esta página todavía no funciona en su navegador. No se ha perdido nada. Permita los scripts en su navegador "
    "o use uno más reciente. Si ya lo hizo, vuelva a cargar esta página.",
    "fr": "Cette page ne fonctionne pas encore dans votre navigateur. Rien n'est perdu. Autorisez les scripts du "
    "navigateur, ou prenez-en un plus récent. Si vous l'avez fait, rechargez la page.",
    "de": "Diese Seite läuft in Ihrem Browser noch nicht. Es ist nichts verloren. Bitte erlauben Sie Skripte in Ihrem "
    "Browser, oder nehmen Sie einen neueren. Haben Sie das schon getan, laden Sie die Seite bitte neu.",
    "pt": "Esta página ainda não funciona no seu navegador. Nada se perdeu. Permita scripts no seu navegador ou use um "
    "mais recente. Se já o fez, carregue esta página de novo.",
    "it": "Questa pagina non funziona ancora nel Suo browser. Nulla è andato perso. Consenta gli script nel Suo "
    "browser, o ne usi uno più recente. Se lo ha fatto, ricarichi questa pagina.",
    "ja": "お使いのブラウザでは、このページがまだ動きません。何も失われていません。スクリプトを許可するか、"
    "新しいブラウザをお使いください。それでも開かないときは、再読み込みしてください。",
    "ko": "이 페이지는 사용 중인 브라우저에서 아직 작동하지 않습니다. 잃은 것은 없습니다. 브라우저에서 스크립트를 "
    "허용하거나 더 새로운 브라우저를 쓰세요. 이미 하셨다면 이 페이지를 다시 불러오세요.",
    "zh-Hans": "此页面在您的浏览器中还不能运行。什么都没有丢失。请允许浏览器运行脚本。也可以使用更新的浏览器。"
    "还是打不开时请重新加载此页面。",
    "ar": "لا تعمل هذه الصفحة في متصفحك بعد. لم يضع شيء. يُرجى السماح بالبرامج النصية في متصفحك، أو استخدام متصفح أحدث. "
    "إن كان ذلك قد تم، فيُرجى إعادة تحميل الصفحة.",
}


def render_no_script(accept_language: str) -> str:
    """Return a paragraph of HTML in the reader's language. If that is unknown, return one of each language."""
    known = {name.partition("-")[0]: name for name in _WORDS}
    code = find_language(accept_language, known)
    names = list(_WORDS) if code is None else [known[code]]
    return "".join(_render(name) for name in names)


def _render(name: str) -> str:
    direction = "rtl" if name == "ar" else "ltr"
    return f'<p lang="{name}" dir="{direction}">{escape(_WORDS[name])}</p>'
