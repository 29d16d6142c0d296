import { sandboxTask, type TaskOf } from '../sandbox/sandbox.ts';
import type { WebPage } from './page.ts';

export const readPageTask = sandboxTask<{ html: string; address: string }, WebPage>('readPage');
export const xmlProblemTask: TaskOf<typeof import('./xml.ts').xmlProblem> = sandboxTask('xmlProblem');
export const readRobotsTask: TaskOf<typeof import('./robots-rules.ts').readRobots> =
  sandboxTask('readRobots');
export const packRepositoryTask: TaskOf<typeof import('./pack-repository.ts').packRepository> =
  sandboxTask('packRepository');
