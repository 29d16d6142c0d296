import { paginate } from '../../adapters/web/paginate.ts';
import { paginateApiStep } from '../../domain/flows/step-types/paginate-api.ts';
import { isSafe } from '../../domain/flows/steps/http-config.ts';
import { actKey } from '../step-support/acts.ts';
import { httpStatusError, renderHeaders, toKeyHeader } from '../step-support/http-request.ts';
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

  async perform({ pages, method, headers }, { ports: { fetch }, signal, act }) {
    const read = (send: typeof fetch) =>
      paginate({
        ...pages,
        request: { method, headers, signal },
        fetch: send,
        refused: (answer) => httpStatusError(answer.url, answer),
      });
    if (isSafe(method)) return { output: await read(fetch) };
    // Each page is a request of its own.
    const createKeyedFetch = (key: string): typeof fetch => {
      return (page) =>
        fetch({ ...page, headers: { ...toKeyHeader(actKey(key, '', page.url)), ...page.headers } });
    };
    return { output: await act({ pages, method }, (key) => read(createKeyedFetch(key))) };
  },
});
