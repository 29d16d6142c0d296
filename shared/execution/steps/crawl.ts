import { crawl as crawlSite } from '../../adapters/web/crawl.ts';
import { crawlStep } from '../../domain/flows/step-types/crawl.ts';
import { defineStepRunner } from '../step-support/step-runner.ts';

export const crawl = defineStepRunner(crawlStep, {
  async run({ config, render, ports, signal }) {
    const { limit = 10, depth = 2 } = config;
    const url = (await render(config.url)).trim();
    return { output: await crawlSite({ url, limit, depth, ports, signal }) };
  },
});
