import type { FieldProblem } from '../../domain/refusals.ts';

/** The parameters whose name or value PostgreSQL cannot store as text. Schemas and handlers never see them. */
export function findNulCharacters(query: object): FieldProblem[] {
  return Object.entries(query)
    .filter(([name, value]) => [name, value].flat().some((text) => typeof text === 'string' && text.includes('\0')))
    .map(([name]) => ({ field: name.replaceAll('\0', ''), message: 'Must not contain NUL characters (%00)' }));
}
