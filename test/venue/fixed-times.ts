import { millis } from '#src/model/time.ts';

/** Machine time at which every test begins: the instant of the reference's signatures. */
export const MACHINE_START = millis(1_760_000_000_000);
