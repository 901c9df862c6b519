/** Returns a colour of the style sheet in a form for a canvas, for the current scheme (light or dark). */
export function colourOf(host: HTMLElement, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  host.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
