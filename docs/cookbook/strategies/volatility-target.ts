import { defineStrategy, historicalVolatility, param } from '@sluice-trading/sluice';

/** Holds less when the market is nervous, so that the risk of the position stays about the same. */
export default defineStrategy({
  name: 'volatility-target',
  doc: 'Sets the weight to a target volatility over the measured one, and trades only what has drifted',
  params: {
    length: param.int({ min: 5, max: 250, default: 20, doc: 'Returns in the measured volatility' }),
    target: param.ratio({ min: 0.01, max: 0.5, default: 0.1, doc: 'Volatility a year that is wanted' }),
    most: param.ratio({ default: 0.9, doc: 'Largest share of the equity' }),
    band: param.ratio({ min: 0.01, max: 0.5, default: 0.1, doc: 'Drift that is not traded' }),
  },
  signals: ({ bars, params }) => ({ volatility: historicalVolatility(bars.close, params.length) }),
  onBar: ({ symbol, bar }, { params, orders, position, equity, value }) => {
    const volatility = value(symbol, 'volatility');
    const { quantity, openBuys, openSells } = position(symbol);
    if (!(volatility > 0) || openBuys + openSells > 0) return undefined;
    const wanted = Math.min(params.most, params.target / volatility);
    const drift = Math.abs((quantity * bar.close) / equity - wanted);
    return drift > params.band ? orders.targetWeight(symbol, wanted, 'volatility has changed') : undefined;
  },
});
