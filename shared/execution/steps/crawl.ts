import { crawlSite } from '../../adapters/web/crawl.ts';
import { crawlStep } from '../../domain/flows/step-types/crawl.ts';
import { defineActingRunner } from '../step-support/step-runner.ts';

export const crawlRunner = defineActingRunner(crawlStep, {
  async plan({ config: { url, limit = 10, depth = 2 }, render }) {
    return { request: { url: (await render(url)).trim(), limit, depth } };
  },

  perform: async (request, { ports, signal }) => ({ output: await crawlSite({ ...request, ports, signal }) }),
});
