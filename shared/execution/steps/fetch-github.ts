import { fetchRepository, parseRepositoryRef } from '../../adapters/web/fetch-repository.ts';
import { fetchGithubStep } from '../../domain/flows/step-types/fetch-github.ts';
import { defineActingRunner } from '../step-support/step-runner.ts';

export const fetchGithubRunner = defineActingRunner(fetchGithubStep, {
  async plan({ config, render }) {
    const { repo, repository, path, branch, auth, compress = false, style = 'markdown' } = config;
    const { includePatterns = [], excludePatterns = [] } = config;
    const fill = async (text = '') => (await render(text)).trim();
    const at = { path: await fill(path), branch: await fill(branch) };
    const place = parseRepositoryRef(await fill(repo ?? repository), at);
    const packing = { includePatterns, excludePatterns, compress, style };
    return { request: { place, packing, token: auth && (await render(auth.token)) } };
  },

  perform: async ({ place, packing, token }, { ports: { fetch, warn, sandbox }, signal }) => ({
    output: await fetchRepository(place, packing, { fetch, warn, token, signal }, sandbox),
  }),
});
