import { createSimulatedBroker } from '#src/backtest/simulated-broker.ts';
import { VirtualClock } from '#src/backtest/virtual-clock.ts';
import type { SimulationEvent } from '#src/simulation/simulation.ts';
import { answerOf } from '../fixtures/tasks.ts';
import { ACCOUNT, contractSimulation } from './contract-world.ts';
import { type BrokerUnderTest, CONTRACT_START, describeBroker } from './describe-broker.ts';

async function simulated(): Promise<BrokerUnderTest> {
  const simulation = contractSimulation(false);
  const account = simulation.account(ACCOUNT);
  if (account === undefined) throw new Error(`The world has no account "${ACCOUNT}"`);
  const clock = new VirtualClock(CONTRACT_START);
  const broker = createSimulatedBroker(simulation, account, clock);
  const deliver = (events: readonly SimulationEvent[]): void => {
    for (const event of events) if (event.kind === 'order') broker.deliver(event.change);
  };
  const settle = (): void => {
    while (clock.nextAt() <= clock.now()) clock.fireNext();
  };
  return {
    broker,
    ask(question) {
      const answer = answerOf(question);
      settle();
      return answer;
    },
    async runUntil(at) {
      for (;;) {
        const own = simulation.nextVenueEventAt();
        const print = simulation.nextPrintAt();
        if (Math.min(own, print) >= at) break;
        deliver(own <= print ? simulation.stepVenueEvent() : simulation.stepPrint());
      }
      simulation.moveTo(at);
      clock.moveTo(at);
    },
    close: async () => undefined,
  };
}

describeBroker('the simulated one', simulated);
