/** `alone.ts NAME SCALE`, begun by `inItsOwnProcess`: runs one benchmark and hands its rows to whoever began it. */
import { BENCHMARKS } from './benchmarks.ts';

const [, , name, scale] = process.argv;
const benchmark = BENCHMARKS.find((one) => one.name === name);
if (benchmark === undefined || (scale !== 'full' && scale !== 'smoke') || process.send === undefined)
  throw new Error('This file is begun by bench/main.ts');
process.send(await benchmark.run(scale), undefined, undefined, () => process.disconnect());
