/**
 * `alone.ts NAME SCALE [BARS]`, started by `inItsOwnProcess`: runs one benchmark and passes its rows to the parent
 * process.
 */
import { NAMED } from './benchmarks.ts';

const [, , name, scale, bars] = process.argv;
const benchmark = NAMED.find((one) => one.name === name);
if (benchmark === undefined || (scale !== 'full' && scale !== 'smoke') || process.send === undefined)
  throw new Error('This file is begun by bench/main.ts');
process.send(
  await benchmark.run(scale, bars === undefined ? undefined : Number(bars)),
  undefined,
  undefined,
  () => process.disconnect(),
);
