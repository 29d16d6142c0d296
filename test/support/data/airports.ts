import { readFile } from 'node:fs/promises';
import type { Tenant } from '../stack/stack.ts';

export interface Airport {
  iata: string;
  name: string;
  city: string;
  state: string;
  country: string;
  latitude: string;
  longitude: string;
}

const airportsFile = new URL('../../../examples/airports.csv', import.meta.url);
export const airportType = 'airport';

/** All airports of examples/airports.csv as records, named by their IATA code. */
export async function uploadAirports({ call }: Tenant): Promise<void> {
  const body = new FormData();
  body.append('file', new File([await readFile(airportsFile)], 'airports.csv'));
  body.append('nameColumn', 'iata');
  body.append('typeValue', airportType);
  const answer = await call('POST', '/v1/records/upload-csv', { body });
  if (answer.body.errors !== 0)
    throw new Error(`The airports were answered with ${JSON.stringify(answer.body)}`);
}

/** The rows of that file, read without the project's own parser. */
export async function airportsInFile(): Promise<Airport[]> {
  const [header = '', ...lines] = (await readFile(airportsFile, 'utf8')).trimEnd().split(/\r?\n/);
  const columns = header.split(',');
  return lines.map((line) => {
    // Each cell is bare, or quoted with "" for a quote.
    const cells = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
      ([, quoted, bare = '']) => quoted?.replaceAll('""', '"') ?? bare,
    );
    if (cells.length !== columns.length) throw new Error(`Not a row of airports: ${line}`);
    return Object.fromEntries(columns.map((column, index) => [column, cells[index]])) as unknown as Airport;
  });
}
