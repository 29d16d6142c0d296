import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { cancelImport } from './cancel.ts';
import { createImport } from './create.ts';
import { deleteImportedRecords } from './delete-records.ts';
import { getImport } from './get.ts';
import { listImports } from './list.ts';
import { importProblems } from './problems.ts';
import { startImport } from './start.ts';

export const importsGroup = {
  description:
    'Turn files of any size into records: CSV, JSON Lines or Parquet, with a dry run, progress, and the rows that were skipped.',
  endpoints: [
    createImport,
    listImports,
    getImport,
    startImport,
    cancelImport,
    importProblems,
    deleteImportedRecords,
  ],
} as const satisfies EndpointGroup;
