/** Checks for content that does not fit the page. */

export const WIDTHS = [320, 360, 390, 412, 480, 600, 768, 820, 900, 1000, 1024, 1100, 1280, 1400];

/** The buttons of the heads that are not whole inside of their panel and of the window. */
export function cutOff({ page }) {
  return page.evaluate(() => {
    const seen = [...document.querySelectorAll(".bar button, .tools button, .panel .head :is(button, select)")].filter((one) => one.checkVisibility());
    const isWhole = (one) => {
      const box = one.getBoundingClientRect();
      const room = (one.closest(".panel") ?? document.body).getBoundingClientRect();
      return box.left >= room.left - 0.5 && box.right <= Math.min(room.right, innerWidth) + 0.5 && box.bottom <= Math.min(room.bottom, innerHeight) + 0.5;
    };
    return seen.filter((one) => !isWhole(one)).map((one) => one.id || one.textContent);
  });
}

/** The closed menus that do not say all of what they say. */
export function cutShort({ page }) {
  return page.evaluate(() => {
    const isWhole = (menu) => {
      const alone = menu.cloneNode();
      alone.append(menu.selectedOptions[0].cloneNode(true));
      alone.style.cssText = "position: absolute; max-width: none";
      menu.after(alone);
      const { width } = alone.getBoundingClientRect();
      alone.remove();
      return menu.getBoundingClientRect().width >= width - 0.5;
    };
    return [...document.querySelectorAll(".picker select")].filter((one) => one.checkVisibility() && !isWhole(one)).map((one) => one.id);
  });
}
