// What a bundler made of it, or an import, by the path given: prints what it did.
const { useThePackage } = await import(process.argv[2]);
console.log(await useThePackage());
