import type { Benchmark } from './benchmark.ts';
import { bracket } from './bracket.ts';
import { cli } from './cli.ts';
import { coldStart } from './cold-start.ts';
import { csv } from './csv.ts';
import { dashboard } from './dashboard.ts';
import { events } from './events.ts';
import { journal } from './journal.ts';
import { kill } from './kill.ts';
import { live } from './live.ts';
import { memory } from './memory.ts';
import { signing } from './signing.ts';
import { soak } from './soak.ts';
import { SHAPE_BENCHMARKS, strategies } from './strategies.ts';
import { sweep } from './sweep.ts';
import { everyBar, onSignal, w1 } from './w1.ts';
import { w2 } from './w2.ts';
import { watchers } from './watchers.ts';

/** All benchmarks, in the order of the table. */
export const BENCHMARKS: readonly Benchmark[] = [
  w1,
  onSignal,
  everyBar,
  w2,
  bracket,
  memory,
  coldStart,
  cli,
  csv,
  signing,
  journal,
  kill,
  soak,
  dashboard,
  watchers,
  strategies,
  events,
  live,
  sweep,
];

/** All names that can be run: each shape of `strategies` can also run alone. */
export const NAMED: readonly Benchmark[] = [...BENCHMARKS, ...SHAPE_BENCHMARKS];
