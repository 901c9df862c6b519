import { chanceOf } from '../synthetic/seeded-random.ts';

/** A broker with seats at the exchange, as the wire shows it. */
export interface Participant {
  readonly brokerIds: number[];
  readonly participantNameEn: string;
  readonly participantNameCn: string;
  readonly participantNameHk: string;
}

const NAMES = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight'] as const;
const SEATS_EACH = 3;
const FIRST_SEAT = 9_900;

/** Brokers that the venue invents for the queues of its deep book; their names say that they are none. */
export const PARTICIPANTS: readonly Participant[] = NAMES.map((name, index) => ({
  brokerIds: Array.from({ length: SEATS_EACH }, (_, seat) => FIRST_SEAT + index * SEATS_EACH + seat),
  participantNameEn: `Invented Broker ${name}`,
  participantNameCn: `虚构经纪商${index + 1}`,
  participantNameHk: `虛構經紀商${index + 1}`,
}));

/** A number of brokers derived from a text, with repeats, as one broker may wait more than once. */
export function brokerIdsAt(text: string, count: number): readonly number[] {
  const seats = NAMES.length * SEATS_EACH;
  return Array.from(
    { length: count },
    (_, index) => FIRST_SEAT + Math.floor(chanceOf(`${text}|${index}`) * seats),
  );
}
