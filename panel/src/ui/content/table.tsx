import type { ReactNode } from 'react';
import { classes } from '../class-names.ts';

export interface Column<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  align?: 'left' | 'right';
  /** Shows the heading to screen readers only, for example over a column of buttons. */
  isHeaderHidden?: boolean;
  /** Identifies the row: on a phone it is the card's title and has no heading. */
  isTitle?: boolean;
  /** For sentences: on a phone they go below their heading, because ragged lines beside it are hard to read. */
  isProse?: boolean;
  /** Hidden on phones, where another column has the same content. */
  isWideOnly?: boolean;
}

export interface TableProps<Row> {
  /** Read out before the table. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}

/** A table on wide screens; on a phone, each row becomes a small card with headings. */
export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>) {
  return (
    <table className="block w-full sm:table">
      <caption className="sr-only">{caption}</caption>
      <thead className="hidden sm:table-header-group">
        <tr className="border-b bg-sunken/50">
          {columns.map((column) => (
            <th
              key={column.header}
              scope="col"
              className={classes(
                'px-4 py-2 label first:pl-5 last:pr-5',
                column.align === 'right' ? 'text-right' : 'text-left',
              )}
            >
              <span className={column.isHeaderHidden === true ? 'sr-only' : ''}>{column.header}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="block sm:table-row-group">
        {rows.map((row) => (
          <tr
            key={keyOf(row)}

            className="flex flex-col border-b px-5 py-3 last:border-b-0 sm:table-row sm:p-0 sm:hover:bg-hover/50"
          >
            {columns.map((column) => (
              <Cell key={column.header} column={column} row={row} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const { header, align, isHeaderHidden = false, isTitle = false, isProse = false, isWideOnly = false } = column;
  return (
    <td
      className={classes(
        'flex items-baseline gap-x-4 py-0.5 sm:table-cell sm:px-4 sm:py-2.5 sm:first:pl-5 sm:last:pr-5',
        isWideOnly && 'max-sm:hidden',
        isTitle && 'max-sm:order-first max-sm:pb-2',
        isProse && 'max-sm:flex-col max-sm:py-1',
        !isTitle && !isProse && (isHeaderHidden ? 'justify-end' : 'justify-between max-sm:text-right'),
        align === 'right' && 'tabular sm:text-right',
      )}
    >
      {!isHeaderHidden && !isTitle && <span className="label shrink-0 sm:hidden">{header}</span>}
      {column.cell(row)}
    </td>
  );
}
