// `/docs`: renders the OpenAPI document in the browser without loading anything from other sites. The viewer's few
// files are listed by name; the folder that contains them is never served.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { openApiDocument } from '../contract/integrator/openapi.ts';

interface DocsRoute {
  method: 'GET';
  url: string;
  handler(this: void, request: FastifyRequest, reply: FastifyReply): FastifyReply;
}

// `data:` is for the arrows in the viewer's stylesheet. The viewer sets styles from script, which needs 'unsafe-inline'
// for styles; scripts come only from this server.
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Waybill API</title>
<link rel="icon" href="/docs/favicon.png">
<link rel="stylesheet" href="/docs/viewer.css">
<link rel="stylesheet" href="/docs/docs.css">
</head>
<body>
<main id="docs"><noscript>This page needs JavaScript. The same text is in <a href="/openapi.json">openapi.json</a>.</noscript></main>
<script src="/docs/viewer.js"></script>
<script src="/docs/docs.js"></script>
</body>
</html>
`;

const SCRIPT = `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: false,
  validatorUrl: null,
});
`;

// The viewer is designed for wide screens and several servers; this is one server, often read on a phone.
const STYLES = `body { margin: 0; font-family: system-ui, sans-serif; }
noscript { display: block; padding: 1rem; }
.swagger-ui .wrapper { max-width: 72rem; }
.swagger-ui .info { margin: 2rem 0 1rem; }
.swagger-ui .scheme-container { padding: 1rem 0; box-shadow: none; }
.swagger-ui .servers-title, .swagger-ui .servers, .swagger-ui .response-col_links { display: none !important; }
.swagger-ui .markdown code, .swagger-ui .renderedMarkdown code { overflow-wrap: break-word; }
.swagger-ui .response-col_description, .swagger-ui .parameters-col_description { overflow-wrap: break-word; }
@media (max-width: 40rem) {
  .swagger-ui .wrapper { padding: 0 0.75rem; }
  .swagger-ui .opblock-tag { flex-wrap: wrap; padding: 0.5rem 0; font-size: 1.25rem; }
  .swagger-ui .opblock-tag small { order: 3; flex-basis: 100%; padding: 0.25rem 0 0; }
  .swagger-ui .opblock .opblock-summary-method { min-width: 3.5rem; padding: 0.4rem 0; font-size: 0.75rem; }
  .swagger-ui .opblock-body { overflow-x: auto; }
  .swagger-ui .responses-table, .swagger-ui .responses-table > tbody { display: block; }
  .swagger-ui .responses-table > thead { display: none; }
  .swagger-ui .responses-table > tbody > tr, .swagger-ui .responses-table > tbody > tr > td { display: block; }
  .swagger-ui .responses-table > tbody > tr > td { padding: 0.25rem 0; width: auto; min-width: 0; max-width: 100%; }
  .swagger-ui .response-col_status { font-size: 1.25rem; font-weight: bold; }
}
`;

/** Relative to the package of the viewer. */
const VIEWER_FILES = {
  '/docs/viewer.js': { file: 'swagger-ui-bundle.js', type: 'text/javascript; charset=utf-8' },
  '/docs/viewer.css': { file: 'swagger-ui.css', type: 'text/css; charset=utf-8' },
  '/docs/favicon.png': { file: 'favicon-32x32.png', type: 'image/png' },
};

export const docsRoutes: DocsRoute[] = [
  route('/docs', 'text/html; charset=utf-8', () => PAGE),
  route('/docs/docs.js', 'text/javascript; charset=utf-8', () => SCRIPT),
  route('/docs/docs.css', 'text/css; charset=utf-8', () => STYLES),
  route('/openapi.json', 'application/json; charset=utf-8', () => JSON.stringify(openApiDocument())),
  ...Object.entries(VIEWER_FILES).map(([url, { file, type }]) => route(url, type, () => readViewerFile(file))),
];

function route(url: string, type: string, load: () => string | Buffer): DocsRoute {
  let content: string | Buffer | undefined;
  return {
    method: 'GET',
    url,
    handler(_request, reply) {
      // Loaded on first use: most nodes never serve it, and the viewer alone is over a megabyte.
      content ??= load();
      return reply
        .header('content-type', type)
        .header('content-security-policy', CONTENT_SECURITY_POLICY)
        .header('x-content-type-options', 'nosniff')
        .header('cache-control', 'no-cache')
        .send(content);
    },
  };
}

function readViewerFile(file: string): Buffer {
  return readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${file}`));
}
