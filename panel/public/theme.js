// Sets the theme before the first paint. A file of its own because the page may run no inline script, and no module
// because modules run after the first paint.
(function () {
  var chosen = null;
  try {
    chosen = localStorage.getItem('waybill.theme');
  } catch {
    // Storage may be forbidden; the system's theme is right then.
  }
  var isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
})();
