/** A colour of the style sheet as a canvas understands it: for the scheme, light or dark, that is shown. */
export function colourOf(host: HTMLElement, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  host.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
