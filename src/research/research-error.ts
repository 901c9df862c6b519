/** A request for research that cannot be carried out as it was made; the text names what to write instead. */
export class ResearchError extends Error {
  override readonly name = 'ResearchError';
}
