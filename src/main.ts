// The command line: `npm run waybill -- <command>`.
import { runCommandLine } from './commands/command-line.ts';
import { environment } from './settings/config.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), {
  env: environment(),
  out: (text) => process.stdout.write(`${text}\n`),
  error: (text) => process.stderr.write(`${text}\n`),
});
