/** One number that the gate looked at, and the limit it was held against, as text with units. */
export interface RiskNumber {
  readonly name: string;
  readonly value: string;
  readonly limit: string;
}
