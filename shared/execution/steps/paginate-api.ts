import { paginate } from '../../adapters/web/paginate.ts';
import { paginateApiStep } from '../../domain/flows/step-types/paginate-api.ts';
import { httpStatusError, renderHeaders } from '../step-support/http-request.ts';
import { defineActingRunner } from '../step-support/step-runner.ts';

export const paginateApiRunner = defineActingRunner(paginateApiStep, {
  async plan({ config, render }) {
    const { method = 'GET', headers = {}, paginationType, pageSize, entityPath } = config;
    const pages = {
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
      maxPages: config.maxPages,
    };
    const sent = { accept: 'application/json', ...(await renderHeaders(headers, render)) };
    return { request: { pages, method, headers: sent } };
  },

  perform: async ({ pages, method, headers }, { ports: { fetch }, signal }) => ({
    output: await paginate({
      ...pages,
      request: { method, headers, signal },
      fetch,
      refused: (answer) => httpStatusError(answer.url, answer),
    }),
  }),
});
