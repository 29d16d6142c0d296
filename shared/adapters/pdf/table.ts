import type { Content, TableCell } from 'pdfmake/interfaces.js';
import { type HtmlNode, isElement, type Layout, type Make } from './layout.ts';
import { attribute, declarations, type Element, elementStyle, type TextStyle } from './style.ts';

const columnsMax = 60;

const lines = {
  hLineWidth: () => 0.5,
  vLineWidth: () => 0.5,
  hLineColor: () => '#bbbbbb',
  vLineColor: () => '#bbbbbb',
  paddingTop: () => 3,
  paddingBottom: () => 3,
};

interface Row {
  element: Element;
  cells: Element[];
  isHead: boolean;
}

export const pdfTable: Make = (table, style, layout) => {
  const rows = rowsOf(table);
  const grid = gridOf(rows);
  // Columns that only cells from further left reach do not exist.
  const columns = grid.reduce(
    (most, line) => Math.max(most, line.findLastIndex((place) => typeof place === 'object') + 1),
    0,
  );
  const caption = elements(table).filter(({ tagName }) => tagName === 'caption');
  const above = layout.contentOf(caption, { ...style, alignment: 'center' }, layout);
  if (columns === 0) return above;
  if (columns > columnsMax) throw new Error(`a table has ${columns} columns; the maximum is ${columnsMax}`);
  const inside = { ...layout, room: { ...layout.room, width: layout.room.width / columns } };
  const body = grid.map((row, at) => {
    const looks = elementStyle((rows[at] as Row).element, style);
    return Array.from({ length: columns }, (_, column) =>
      cellOf(row[column], columns - column, looks, inside),
    );
  });
  const heads = rows.findIndex(({ isHead }) => !isHead);
  const widths = Array.from({ length: columns }, (_, column) => widthOf(table, grid[0]?.[column]));
  const bare =
    attribute(table, 'border') === '0' || /^(?:0|none)/.test(declarations(table).get('border') ?? '');
  const content: Content = {
    table: { body, widths, headerRows: Math.max(0, heads) },
    layout: bare ? 'noBorders' : lines,
    margin: [0, 0, 0, 8],
  };
  return [...above, content];
};

const elements = ({ childNodes }: { childNodes: HtmlNode[] }) => childNodes.filter(isElement);

const rowsOf = (table: Element): Row[] =>
  elements(table)
    .filter(({ tagName }) => /^t(?:head|body|foot)$/.test(tagName))
    .flatMap((part) =>
      elements(part).map((element) => ({
        element,
        cells: elements(element),
        isHead: part.tagName === 'thead',
      })),
    );

/** A grid position: a cell, or one covered by a cell from the left or above. */
type Place = { cell: Element; colSpan: number; rowSpan: number } | 'reached' | undefined;

function gridOf(rows: readonly Row[]): Place[][] {
  const grid: Place[][] = rows.map(() => []);
  for (const [at, row] of rows.entries()) {
    const line = grid[at] as Place[];
    let column = 0;
    for (const cell of row.cells) {
      while (line[column]) column++;
      const rowSpan = Math.min(spanOf(cell, 'rowspan'), rows.length - at);
      let colSpan = 1;
      while (colSpan < spanOf(cell, 'colspan') && !line[column + colSpan]) colSpan++;
      for (const reached of grid.slice(at, at + rowSpan))
        reached.fill('reached', ...extend(reached, column, colSpan));
      line[column] = { cell, colSpan, rowSpan };
    }
  }
  return grid;
}

/** Extends a row for a cell. @returns where the cell begins and ends. */
function extend(line: Place[], column: number, colSpan: number): [number, number] {
  while (line.length < column + colSpan) line.push(undefined);
  return [column, column + colSpan];
}

function spanOf(cell: Element, name: 'colspan' | 'rowspan'): number {
  const span = Number.parseInt(attribute(cell, name) ?? '1', 10);
  return span >= 1 ? Math.min(span, 1_000) : 1;
}

function cellOf(place: Place, columnsLeft: number, around: TextStyle, layout: Layout): TableCell {
  if (place === undefined || place === 'reached') return { text: '' };
  const { cell, rowSpan } = place;
  const colSpan = Math.min(place.colSpan, columnsLeft);
  const { background, ...style } = elementStyle(cell, around);
  const fillColor = background ?? (cell.tagName === 'th' ? '#eeeeee' : undefined);
  return {
    stack: layout.contentOf(cell.childNodes, style, layout),
    ...(colSpan > 1 && { colSpan }),
    ...(rowSpan > 1 && { rowSpan }),
    ...(fillColor && { fillColor }),
  };
}

function widthOf(table: Element, first: Place): string {
  const asked = (element: Element) => declarations(element).get('width') ?? attribute(element, 'width') ?? '';
  const own = typeof first === 'object' && first.colSpan === 1 ? asked(first.cell) : '';
  if (/^\d{1,2}(?:\.\d+)?%$/.test(own)) return own;
  return asked(table) === '100%' ? '*' : 'auto';
}
