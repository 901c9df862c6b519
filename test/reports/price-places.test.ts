import { describe, expect, it } from 'vitest';
import { drawingScript, pricePlaces } from '#src/reports/page/drawing.ts';

describe('the decimals of a price chart', () => {
  it('are those of the most exact price, from 2 to 6, whatever a float adds', () => {
    expect(pricePlaces([])).toBe(2);
    expect(pricePlaces([200, 199.5])).toBe(2);
    expect(pricePlaces([0.1 + 0.2, 0.305])).toBe(3);
    expect(pricePlaces([1 / 3])).toBe(6);
    expect(pricePlaces([1e-9, 1e21])).toBe(2);
  });

  it('are reckoned in the script of the page, too', () => {
    expect(drawingScript()).toContain('function pricePlaces(');
  });
});
