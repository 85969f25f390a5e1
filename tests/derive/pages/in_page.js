{
  // Texts whose colour differs too little from what is behind them (WCAG 2: a ratio of 4.5).
  contrasts() {
    const parsed = (text) => (text.match(/[\d.]+/g) || []).map(Number);
    const linear = (one) => (one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    const light = (colour) => colour.slice(0, 3).reduce((sum, one, i) => sum + linear(one / 255) * [0.2126, 0.7152, 0.0722][i], 0);
    const behind = (element) => {
      for (let one = element; one; one = one.parentElement) {
        const colour = parsed(getComputedStyle(one).backgroundColor);
        if (colour.length === 3 || colour[3] === 1) return colour;
      }
      return [255, 255, 255];
    };
    const found = [];
    for (const element of document.querySelectorAll("body *")) {
      const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
      const isAside = element.closest("[hidden], script, noscript, option, :disabled, math");
      if (!own || isAside || !element.getClientRects().length) continue;
      const style = getComputedStyle(element), ink = element.closest("svg") ? style.fill : style.color;
      const [one, other] = [light(parsed(ink)), light(behind(element))].sort((a, b) => b - a), ratio = (one + 0.05) / (other + 0.05);
      if (ratio < 4.5) found.push(`${element.tagName} ${element.textContent.trim().slice(0, 40)} ${ratio.toFixed(2)}`);
    }
    return found;
  },

  // Texts in sight of which the middle of the first, a middle, or the last letter belongs to an element that lies above them, at each of the
  // places to which the page can be scrolled by half of its window.
  async covered() {
    const found = new Set(), half = Math.floor(innerHeight / 2);
    for (let top = 0; top <= document.documentElement.scrollHeight; top += half) {
      scrollTo(0, top);
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const node = texts.currentNode, element = node.parentElement;
        if (!node.textContent.trim() || element.closest("[hidden], option, svg, .unseen")) continue;
        for (const at of new Set([0, Math.floor(node.length / 2), node.length - 1])) {
          const range = document.createRange();
          range.setStart(node, at);
          range.setEnd(node, at + 1);
          const box = range.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
          const clip = element.closest(".formula, .combobox ul"), room = clip && clip.getBoundingClientRect();
          if (!box.width || y < 0 || y >= innerHeight || x < 0 || x >= innerWidth || (room && (x < room.left || x > room.right))) continue;
          const over = document.elementFromPoint(x, y);
          if (over && !over.contains(element) && !element.contains(over)) found.add(`${node.textContent.trim().slice(0, 40)} is below ${over.tagName} ${over.id || over.className}`);
        }
      }
    }
    scrollTo(0, 0);
    return [...found];
  },

  // Controls without a name that is read out.
  unnamed() {
    const isNamed = (one) => (one.labels && one.labels.length) || one.getAttribute("aria-label") || one.textContent.trim();
    return [...document.querySelectorAll("input, select, button, summary")].filter((one) => !isNamed(one)).map((one) => one.outerHTML.slice(0, 80));
  },
}