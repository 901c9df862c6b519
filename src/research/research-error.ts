/** A research request that cannot be carried out as given; the text states what to write instead. */
export class ResearchError extends Error {
  override readonly name = 'ResearchError';
}
