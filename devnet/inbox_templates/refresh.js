// Loads the list again when its newest message is another one. Nothing is asked while the tab is hidden.
const shown = document.currentScript.dataset.last;
setInterval(async () => {
  if (document.hidden) return;
  const answer = await fetch("/api/count").catch(() => null);
  if (answer && answer.ok && String((await answer.json()).last) !== shown) location.reload();
}, 1500);
