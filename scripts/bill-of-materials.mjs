// The software bill of materials of the package, in CycloneDX 1.6. Made from package-lock.json instead of by `npm sbom`,
// which also lists what is not in the package, and writes the time and a random number into every file.
const FOLDER_OF_PACKAGES = 'node_modules/';

/** `bundled`: folders in the lock file; `programs`: packages that npm adds on the machine, by name and version. */
export function describeMaterials({ name, version, license }, { packages }, { bundled, programs }) {
  const components = [
    ...bundled.map((folder) => describeBundled(folder, packages[folder])),
    ...Object.entries(programs).map(([program, exact]) => ({
      ...describe(program, exact),
      scope: 'optional',
      ...describeOrigin(packages[`${FOLDER_OF_PACKAGES}${program}`]),
    })),
  ];
  const application = { ...describe(name, version), type: 'application', licenses: [{ expression: license }] };
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: application },
    components: components.toSorted((one, other) => (one['bom-ref'] < other['bom-ref'] ? -1 : 1)),
  };
}

function describeBundled(folder, entry) {
  const installedAs = folder.slice(folder.lastIndexOf(FOLDER_OF_PACKAGES) + FOLDER_OF_PACKAGES.length);
  // An alias installs a package under another name.
  const described = describe(entry.name ?? installedAs, entry.version);
  // Two packages may each contain the same version of a third.
  const reference = `${described.purl}#${folder}`;
  return { ...described, 'bom-ref': reference, scope: 'required', ...describeOrigin(entry) };
}

function describe(name, version) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { type: 'library', 'bom-ref': purl, name, version, purl };
}

function describeOrigin(entry) {
  if (entry === undefined) return {};
  const [algorithm, digest] = entry.integrity.split('-');
  return {
    hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') }],
    ...(entry.license !== undefined && { licenses: [{ expression: entry.license }] }),
  };
}
