/** Messages that a client received in the background, with a wait for a number of them. */
export class Heard<Item> {
  readonly items: Item[] = [];
  #waiting: { readonly enough: (items: readonly Item[]) => boolean; readonly resolve: () => void }[] = [];

  readonly add = (item: Item): void => {
    this.items.push(item);
    const ready = this.#waiting.filter(({ enough }) => enough(this.items));
    this.#waiting = this.#waiting.filter((each) => !ready.includes(each));
    for (const { resolve } of ready) resolve();
  };

  /** Resolves with all messages once they satisfy `enough`. */
  async until(enough: (items: readonly Item[]) => boolean): Promise<readonly Item[]> {
    if (!enough(this.items)) {
      await new Promise<void>((resolve) => this.#waiting.push({ enough, resolve }));
    }
    return this.items;
  }
}
