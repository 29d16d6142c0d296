import { fetchRepository } from '../../adapters/web/fetch-repository.ts';
import { parseRepositoryRef } from '../../adapters/web/repository.ts';
import { fetchGithubStep } from '../../domain/flows/step-types/fetch-github.ts';
import { defineStepRunner } from '../step-support/step-runner.ts';

export const fetchGithub = defineStepRunner(fetchGithubStep, {
  async run({ config, render, ports: { fetch, sandbox }, signal }) {
    const { repo, repository, path, branch, auth, compress = false, style = 'markdown' } = config;
    const { includePatterns = [], excludePatterns = [] } = config;
    const filled = async (text = '') => (await render(text)).trim();
    const at = { path: await filled(path), branch: await filled(branch) };
    const place = parseRepositoryRef(await filled(repo ?? repository), at);
    const packing = { includePatterns, excludePatterns, compress, style };
    const token = auth && (await render(auth.token));
    return { output: await fetchRepository(place, packing, { fetch, token, signal }, sandbox) };
  },
});
