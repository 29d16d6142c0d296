import { paginate } from '../../adapters/web/paginate.ts';
import { paginateApiStep } from '../../domain/flows/step-types/paginate-api.ts';
import { httpStatusError, renderHeaders } from '../step-support/http-request.ts';
import { defineStepRunner } from '../step-support/step-runner.ts';

export const paginateApi = defineStepRunner(paginateApiStep, {
  async run({ config, render, ports: { fetch }, signal }) {
    const { method = 'GET', headers = {}, paginationType, pageSize, entityPath } = config;
    const output = await paginate({
      url: (await render(config.url)).trim(),
      paginationType,
      pageParam: config.pageParam ?? 'page',
      startPage: config.startPage ?? 1,
      pageSizeParam: config.pageSizeParam ?? 'limit',
      pageSize,
      offsetParam: config.offsetParam ?? 'offset',
      cursorParam: config.cursorParam ?? 'cursor',
      cursorPath: config.cursorPath ?? '',
      entityPath,
      maxPages: config.maxPages ?? 100,
      request: {
        method,
        headers: { accept: 'application/json', ...(await renderHeaders(headers, render)) },
        signal,
      },
      fetch,
      refused: (answer) => httpStatusError(answer.url, answer),
    });
    return { output };
  },
});
