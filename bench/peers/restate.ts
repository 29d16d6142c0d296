import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Peer, startProgram } from './peer.ts';

const run = promisify(execFile);

/** Restate's server, which npm has as a binary, and a service of its own. */
export const restate: Peer = {
  name: 'restate',
  packages: ['@restatedev/restate-server@1', '@restatedev/restate-sdk@1', '@restatedev/restate@1'],
  async start(folder) {
    const data = await mkdtemp(join(tmpdir(), 'bench-restate-'));
    const programs = join(folder, 'node_modules/.bin');
    const stopServer = await startProgram([`${programs}/restate-server`, '--base-dir', data], folder, () =>
      fetch('http://127.0.0.1:9070/health'),
    );
    const register = () =>
      run(`${programs}/restate`, ['deployments', 'register', 'http://127.0.0.1:9081', '--yes'], {
        cwd: folder,
      });
    const stopService = await startProgram([process.execPath, 'service.mjs'], folder, register);
    return async () => {
      await stopService();
      await stopServer();
      await rm(data, { recursive: true, force: true });
    };
  },
};
