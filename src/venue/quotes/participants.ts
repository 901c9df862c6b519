import { uniformFrom } from '../synthetic/seeded-random.ts';

export interface Participant {
  readonly brokerIds: number[];
  readonly participantNameEn: string;
  readonly participantNameCn: string;
  readonly participantNameHk: string;
}

const NAMES = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight'] as const;
const SEATS_EACH = 3;
const FIRST_SEAT = 9_900;

/** Invented brokers of the deep book's queues; their names say so. */
export const PARTICIPANTS: readonly Participant[] = NAMES.map((name, index) => ({
  brokerIds: Array.from({ length: SEATS_EACH }, (_, seat) => FIRST_SEAT + index * SEATS_EACH + seat),
  participantNameEn: `Invented Broker ${name}`,
  participantNameCn: `虚构经纪商${index + 1}`,
  participantNameHk: `虛構經紀商${index + 1}`,
}));

/** Derives broker ids from a text; ids may repeat, as a broker may have several orders. */
export function brokerIdsAt(text: string, count: number): readonly number[] {
  const seats = NAMES.length * SEATS_EACH;
  return Array.from(
    { length: count },
    (_, index) => FIRST_SEAT + Math.floor(uniformFrom(`${text}|${index}`) * seats),
  );
}
