/** A value that the gate checked and its limit, as text with units. */
export interface RiskNumber {
  readonly name: string;
  readonly value: string;
  readonly limit: string;
}
