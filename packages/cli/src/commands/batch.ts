import { type Command, Option } from 'commander';
import { commandSession } from '../session/session.ts';
import { printNotice } from '../terminal/output.ts';
import { downloadExport, toFileFormat } from './data-files.ts';

interface ExportOptions {
  output?: string;
  format?: string;
  flatten?: true;
}

export function addBatch(program: Command): void {
  const batch = program.command('batch').description('Export what a batch came to');
  batch
    .command('export')
    .description('Write a table: a row for each record, with its metadata and the outputs of the steps')
    .argument('<batch>', 'its id')
    .option('--output <file>', 'a file instead of the standard output')
    .addOption(
      new Option('--format <format>', 'default: by the name of the file').choices([
        'csv',
        'jsonl',
        'parquet',
      ]),
    )
    .option('--flatten', 'members of objects become columns of their own')
    .action(async (batchId: string, { output, format, flatten }: ExportOptions, command: Command) => {
      const body = {
        what: 'batch' as const,
        filter: { batchId },
        ...toFileFormat(output, format),
        flatten: flatten === true,
      };
      const rows = await downloadExport(commandSession(command), body, output);
      if (output !== undefined) printNotice(`${rows} rows in ${output}`);
    });
}
