import { defineStrategy, param } from '@sluice-trading/sluice';

/** Decides nothing yet: say in `onBar`, or with signals in `onSignal`, what to buy and when. */
export default defineStrategy({
  name: 'my-strategy',
  doc: 'Decides nothing yet',
  params: {
    weight: param.ratio({ default: 0.1, doc: 'Share of equity held while long' }),
  },
  onBar: () => undefined,
});
