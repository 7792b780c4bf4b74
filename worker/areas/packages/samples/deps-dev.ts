import type { Samples } from "../../../sandbox/sample.ts";
import { day, faults } from "./rows.ts";

/** Sample answers of deps.dev, written for this project. */

const plain = (...names: string[]) =>
  names.map((name, index) => ({ name, requirement: `^${index + 1}.2.0` }));

const requirements: Readonly<Record<string, unknown>> = {
  npm: {
    dependencies: {
      dependencies: plain("@sample/base", "sample-words"),
      devDependencies: plain("sample-checks"),
      optionalDependencies: plain("sample-fast"),
      peerDependencies: plain("sample-host"),
      bundleDependencies: [],
    },
    bundled: [],
  },
  pypi: {
    dependencies: [
      { projectName: "sample-base", extras: "", versionSpecifier: ">=1.2", environmentMarker: "" },
      {
        projectName: "sample-fast",
        extras: "",
        versionSpecifier: "",
        environmentMarker: "extra == 'fast'",
      },
    ],
  },
  cargo: {
    dependencies: [
      {
        name: "sample-base",
        requirement: "^1.2",
        kind: "normal",
        optional: false,
        target: "cfg(unix)",
      },
      { name: "sample-checks", requirement: "^3", kind: "dev", optional: false },
      { name: "sample-build", requirement: "^1", kind: "build", optional: true },
    ],
  },
  maven: {
    dependencies: [
      {
        name: "org.sample:base",
        version: "${base.version}",
        scope: "compile",
        optional: "",
        resolvedVersion: "1.2.0",
      },
      { name: "org.sample:checks", version: "3.0", scope: "test", optional: "true" },
    ],
  },
  rubygems: { runtimeDependencies: plain("sample-base"), devDependencies: plain("sample-checks") },
  go: {
    directDependencies: plain("code.example/base"),
    indirectDependencies: plain("code.example/words"),
  },
  nuget: {
    dependencyGroups: [
      {
        targetFramework: "net8.0",
        dependencies: [{ name: "Sample.Base", requirement: "[1.2.0, )" }],
      },
    ],
  },
};

const keyOf = (parts: Record<string, string>) => ({
  system: (parts.system ?? "").toUpperCase(),
  name: parts.name,
});

export const depsDev: Samples = {
  upstream: "deps-dev",
  answers: {
    "GET /v3/systems/{system}/packages/{name}/versions/{version}:requirements": ({ parts }) => {
      const system = parts.system as string;
      return { [system]: requirements[system] };
    },
    "GET /v3/systems/{system}/packages/{name}/versions/{version}": ({ parts }) => ({
      versionKey: { ...keyOf(parts), version: parts.version },
      publishedAt: day(parts.name as string),
      isDefault: true,
      isDeprecated: true,
      deprecatedReason: "Use sample-next",
      licenses: ["Apache-2.0"],
      advisoryKeys: [],
      links: [
        { label: "HOMEPAGE", url: "https://sample.example" },
        { label: "SOURCE_REPO", url: "https://code.example/sample" },
        { label: "DOCUMENTATION", url: "https://sample.example/docs" },
      ],
    }),
    "GET /v3/systems/{system}/packages/{name}": ({ parts }) => {
      const key = keyOf(parts);
      const version = (number: string, month: number, more: object = {}) => ({
        versionKey: { ...key, version: number },
        publishedAt: `2025-0${month}-11T08:30:00Z`,
        isDefault: false,
        isDeprecated: false,
        deprecatedReason: "",
        ...more,
      });
      return {
        packageKey: key,
        versions: [
          version("1.9.4", 2, { isDeprecated: true, deprecatedReason: "Breaks on leap days" }),
          version("2.0.0", 3),
          version("2.1.0", 5, { isDefault: true }),
        ],
      };
    },
  },
  faults,
};
